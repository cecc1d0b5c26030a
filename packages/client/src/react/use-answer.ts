/** React hook for one typed answer: its growing draft, its refused attempts, then the validated value. */
import type {
  AnyOutputDefinition,
  DeepPartial,
  InferOutput,
} from '@truecast/core/internal/output/definition/definition';
import type { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { RequestEndedError } from '@truecast/core/internal/errors/request-ended-error';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AskOptions, ClientChat, ClientChatOptions } from '../client-chat.ts';
import type { Client } from '../create-client.ts';
import type { RefusedAttempt } from '../refused-attempts.ts';
import { receipt, type Receipt } from '../wire/receipt.ts';
import { shownError } from './shown-error.ts';
import { readAs } from '../calls/http-caller.ts';

/** Options of the hook. The last ones that were rendered are used. */
export interface UseAnswerOptions<TDefinition extends AnyOutputDefinition> extends Pick<
  AskOptions<TDefinition>,
  'output' | 'name' | 'description' | 'limits' | 'acceptsRounding'
> {
  readonly client: Client;
  /** Settings of the chat, which the first question creates. */
  readonly chat?: ClientChatOptions;
}

/** State of the last question. */
type AnswerState<TOutput> =
  | {
      readonly status: 'idle';
      readonly draft?: undefined;
      readonly output?: undefined;
      readonly receipt?: undefined;
      readonly error?: undefined;
    }
  | {
      readonly status: 'asking';
      /** The growing value, not validated. Absent between a refused attempt and the next one. */
      readonly draft?: DeepPartial<TOutput>;
      readonly output?: undefined;
      readonly receipt?: undefined;
      readonly error?: undefined;
    }
  | {
      readonly status: 'valid';
      readonly draft?: undefined;
      readonly output: TOutput;
      readonly receipt: Receipt;
      readonly error?: undefined;
    }
  | {
      readonly status: 'failed';
      readonly draft?: undefined;
      readonly output?: undefined;
      /** Present if the request ended without an answer. */
      readonly receipt?: Receipt;
      /** A `ServerError`, `RequestEndedError`, `StructuredOutputError` or `UsageError`, by its `code`. */
      readonly error: TruecastError;
    };

type ShownState<TOutput> = AnswerState<TOutput> & {
  /** Refused attempts at the last question, oldest first, from the moment at which each is refused. */
  readonly attempts: readonly RefusedAttempt<TOutput>[];
};

/** The state, and the calls that change it. They are the same in every render. */
export type UseAnswerResult<TOutput> = ShownState<TOutput> & {
  /** Sends a question to the chat. It ends the previous question's turn. */
  readonly ask: (prompt: AskOptions<AnyOutputDefinition>['prompt']) => void;
  /** Sends the last question again, such as after a failure. Does nothing before the first one. */
  readonly retry: () => void;
  /** Ends the turn, also on the server. */
  readonly stop: () => void;
};

/**
 * Asks a chat for a typed value. Leaving the page leaves the turn running.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const output = Output.object({ schema: z.object({ file: z.string(), line: z.number() }) });
 * // In a component.
 * const { ask, status, draft, attempts, ...answer } = useAnswer({ client, output });
 * ask('Which file has the bug?');
 * console.log(status, draft?.file, attempts.length, answer.output?.file);
 * ```
 * @public
 */
export function useAnswer<TDefinition extends AnyOutputDefinition>(
  options: UseAnswerOptions<TDefinition>,
): UseAnswerResult<InferOutput<TDefinition>> {
  type Output = InferOutput<TDefinition>;
  const [state, setState] = useState<ShownState<Output>>({ status: 'idle', attempts: [] });
  const latest = useRef(options);
  const asked = useRef<Asked>(undefined);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => () => asked.current?.stopping.abort(), []);
  const ask = useCallback((prompt: AskOptions<TDefinition>['prompt']) => {
    const { client, chat: settings, ...wanted } = latest.current;
    const previous = asked.current;
    previous?.stopping.abort();
    const chat = previous?.client === client ? previous.chat : client.chat(settings);
    const stopping = new AbortController();
    asked.current = { client, chat, stopping, prompt };
    let attempts: readonly RefusedAttempt<Output>[] = [];
    const show = (next: AnswerState<Output>): void => {
      if (!stopping.signal.aborted) setState({ ...next, attempts });
    };
    show({ status: 'asking' });
    chat
      .ask<TDefinition>({
        ...wanted,
        prompt,
        busyBehavior: 'interrupt',
        signal: stopping.signal,
        onPartial: (draft) => show({ status: 'asking', draft }),
        onAttempt: (attempt) => {
          attempts = [...attempts, attempt];
          show({ status: 'asking' });
        },
      })
      .then(
        ({ output, receipt }) => show({ status: 'valid', output, receipt }),
        (error: unknown) => show({ status: 'failed', error: shownError(error), ...receiptOf(error) }),
      );
  }, []);
  const stop = useCallback(() => {
    const current = asked.current;
    if (current === undefined) return;
    current.stopping.abort();
    // The server refuses this if no turn is running.
    if (current.chat.id !== undefined) void current.chat.interrupt().catch(() => undefined);
    setState({ status: 'idle', attempts: [] });
  }, []);
  const retry = useCallback(() => {
    if (asked.current !== undefined) ask(asked.current.prompt);
  }, [ask]);
  return { ...state, ask, retry, stop };
}

interface Asked {
  readonly client: Client;
  readonly chat: ClientChat;
  readonly stopping: AbortController;
  readonly prompt: AskOptions<AnyOutputDefinition>['prompt'];
}

function receiptOf(error: unknown): { readonly receipt?: Receipt } {
  return RequestEndedError.isInstance(error) ? { receipt: readAs(receipt, error.receipt) } : {};
}
