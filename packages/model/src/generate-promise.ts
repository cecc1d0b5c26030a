/** Promise of an answer, and iterable of its previews. */
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { PartialOutput } from '@truecast/core/internal/output/tag-scanner';
import type { GenerateOptions } from './call/generate-options.ts';

/** A valid answer and its cost. */
export interface GenerateResult<TOutput> {
  readonly output: TOutput;
  readonly provenance: Provenance;
  /** Sum over all calls, failed attempts included. Absent if the service reported none. */
  readonly usage?: Usage;
  /** Steps of a model that worked with `tools`, the answer last. Absent without `tools`. */
  readonly steps?: readonly AnswerStep[];
}

/**
 * The validated answer, and with `for await` copies of the answer so far, as it grows, for one reader.
 * A slow reader gets the latest. The loop ends with the answer and
 * throws the error of the promise. To leave it early aborts the call.
 *
 * Begin the loop in the same tick as the call: an answer that nothing reads is not streamed.
 */
export interface GeneratePromise<TOutput>
  extends Promise<GenerateResult<TOutput>>, AsyncIterable<PartialOutput<TOutput>> {}

/** Starts a call, and streams it if a loop over the promise has begun by then. */
export function toGeneratePromise<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  ask: (options: GenerateOptions<TDefinition>) => Promise<GenerateResult<InferOutput<TDefinition>>>,
): GeneratePromise<InferOutput<TDefinition>> {
  const latest = createLatest<PartialOutput<InferOutput<TDefinition>>>();
  const left = new AbortController();
  let isRead = false;
  const result = Promise.resolve().then(() =>
    ask(isRead || hasListener(options) ? streamed(options, latest, left.signal) : options),
  );
  async function* read(): AsyncGenerator<PartialOutput<InferOutput<TDefinition>>> {
    try {
      yield* latest;
    } finally {
      left.abort();
    }
  }
  return Object.assign(result, {
    [Symbol.asyncIterator]() {
      isRead = true;
      // A caller that only reads gets the failure from the loop, not as an unhandled rejection.
      result.then(
        () => latest.end(),
        (error: unknown) => latest.fail(error),
      );
      return read();
    },
  });
}

function hasListener(options: GenerateOptions<AnyOutputDefinition> | undefined): boolean {
  return typeof options?.onPartial === 'function';
}

/** Adds the reader to the options. Invalid ones stay invalid, and are refused with the call. */
function streamed<TDefinition extends AnyOutputDefinition>(
  options: GenerateOptions<TDefinition>,
  latest: Latest<PartialOutput<InferOutput<TDefinition>>>,
  left: AbortSignal,
): GenerateOptions<TDefinition> {
  if (typeof options !== 'object' || options === null) return options;
  if (options.onPartial !== undefined && !hasListener(options)) return options;
  const { signal } = options;
  const isOwn = signal instanceof AbortSignal;
  return {
    ...options,
    ...((isOwn || signal === undefined) && { signal: isOwn ? AbortSignal.any([signal, left]) : left }),
    onPartial(partial) {
      options.onPartial?.(partial);
      latest.put(partial);
    },
  };
}

/** Values for one reader. */
interface Latest<TValue> extends AsyncIterable<TValue> {
  /** Replaces the unread value. */
  put(value: TValue): void;
  /** Ends the channel after the unread value. */
  end(): void;
  /** Ends it with an error. */
  fail(error: unknown): void;
}

type Ending = { readonly type: 'end' } | { readonly type: 'error'; readonly error: unknown };

/** Creates a conflating channel: a slow reader gets only the latest value. */
function createLatest<TValue>(): Latest<TValue> {
  let waiting: { readonly value: TValue } | undefined;
  let ending: Ending | undefined;
  let wake = (): void => undefined;
  const change = (next: Ending): void => {
    ending = next;
    wake();
  };
  return {
    put(value) {
      waiting = { value };
      wake();
    },
    end: () => change({ type: 'end' }),
    fail: (error) => change({ type: 'error', error }),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const taken = waiting;
        waiting = undefined;
        if (taken !== undefined) yield taken.value;
        else if (ending?.type === 'error') throw ending.error;
        else if (ending !== undefined) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
