/**
 * Stream reader: reads a reply to its end, and separates rejected requests from interrupted
 * replies.
 */
import type { TextStreamPart, ToolSet } from 'ai';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { MAX_REPLY_BYTES, replyTooLarge } from './model-fetch.ts';
import { partBytes } from './part-bytes.ts';
import { rejectedReply } from './rejected-reply.ts';
import { isEnd, toUsage } from './sdk-terms.ts';
import { refusalIn } from '../failure/refusal.ts';
import type { ReplyWatch } from '../runaway/watch-reply.ts';
import { unreachable } from '../failure/unreachable.ts';

/** The service accepted the request, and its reply did not arrive completely. */
export function hasBegun(error: unknown): boolean {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode < 300
  );
}

/** Listeners of a stream, and the mask of the errors. */
export interface StreamListeners {
  /** Ends the reply if it resolves to true. */
  onDelta(delta: string): Promise<boolean> | undefined;
  /** Called for every piece, also of reasoning. */
  onPiece?(): void;
  mask?(error: unknown): unknown;
  readonly watch: ReplyWatch;
}

export interface ReadReply {
  readonly toolInputText?: string;
  /** A reply that was ended, up to there: it ran away, or its listener ended it. Its request has not ended. */
  readonly ended?: {
    /** Repeated part of a reply that ran away. */
    readonly repeats?: string;
    readonly text: string;
    readonly reasoningText: string;
  };
}

/** Reads a stream to its end, or until it runs away or its listener ends it. */
export async function readStream(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  { onDelta, onPiece = () => undefined, mask = (error) => error, watch }: StreamListeners,
): Promise<ReadReply> {
  const begun: Begun = { text: '', reasoning: '', toolInputText: undefined, usage: undefined };
  let hasEnded = false;
  let leftBytes = MAX_REPLY_BYTES;
  // Usage can still follow an error.
  const failures: unknown[] = [];
  try {
    for await (const part of stream) {
      // The SDK itself makes the first pieces, before the service has answered.
      if (part.type !== 'start' && part.type !== 'start-step') onPiece();
      // A provider with its own `fetch` has no limit.
      leftBytes -= partBytes(part);
      if (leftBytes < 0) throw replyTooLarge(MAX_REPLY_BYTES);
      if (part.type === 'error') failures.push(part.error);
      if (part.type === 'finish') hasEnded = isEnd(part);
      const delta = takeDelta(part, begun);
      const ending = delta === undefined ? undefined : onDelta(delta);
      const isEnded = ending !== undefined && (await ending);
      const repeats = isEnded ? undefined : watch.take(part);
      if (repeats === undefined && !isEnded) continue;
      const { text, reasoning: reasoningText } = begun;
      return {
        ...inputOf(begun),
        ended: { text, reasoningText, ...(repeats !== undefined && { repeats }) },
      };
    }
  } catch (error) {
    throw hasBegun(error) ? brokenOff(mask(error), begun) : error;
  }
  if (!hasEnded || failures.length > 0) throw brokenOff(mask(failures[0]), begun);
  return inputOf(begun);
}

function inputOf({ toolInputText }: Begun): Pick<ReadReply, 'toolInputText'> {
  return toolInputText === undefined ? {} : { toolInputText };
}

/** The reply so far. */
interface Begun {
  text: string;
  reasoning: string;
  toolInputText: string | undefined;
  usage: Usage | undefined;
}

function takeDelta(part: TextStreamPart<ToolSet>, begun: Begun): string | undefined {
  // The counts of a chunk that the package rejected are missing in its total.
  if (part.type === 'finish') begun.usage ??= toUsage(part.totalUsage);
  if (part.type === 'error') {
    const { text, usage } = rejectedReply(part.error);
    begun.text += text;
    begun.usage = usage ?? begun.usage;
  }
  if (part.type === 'text-delta') {
    begun.text += part.text;
    return part.text;
  }
  if (part.type === 'reasoning-delta') begun.reasoning += part.text;
  if (part.type !== 'tool-input-delta') return undefined;
  begun.toolInputText = (begun.toolInputText ?? '') + part.delta;
  return part.delta;
}

/**
 * A rejection by the service passes unchanged. Without a response the service was not reached. A failure
 * after the first chunk is an interrupted stream.
 */
export function brokenOff(error: unknown, begun?: Begun): unknown {
  const own = ownErrorIn(error);
  if (own !== undefined) return own;
  if (error instanceof Error && isRefusal(error)) return error;
  const unreached = unreachable(error);
  if (unreached !== undefined) return unreached;
  const { text, usage } = begun ?? rejectedReply(error);
  const receivedText = begun?.toolInputText ?? text;
  const received = {
    cause: error,
    ...(receivedText !== '' && { receivedText }),
    ...(usage !== undefined && { usage }),
  };
  const problem = unreadableIn(error);
  if (problem !== undefined) {
    return new ModelError(
      `The provider's package could not read the service's reply: ${problem} Update the package; if it happens again, try another \`mode\` or model.`,
      { code: 'http', ...received },
    );
  }
  return new ModelError(sentenceOf(error), { code: 'stream', ...received });
}

function sentenceOf(error: unknown): string {
  // A service can end a stream with an error event.
  if (error instanceof Error && error.name === 'AI_StreamProviderError' && error.message !== '') {
    return `The model's service ended its answer with an error: ${cut(error.message)} Try again; if it happens again, read the log of the service.`;
  }
  return isEndless(error)
    ? "The model's answer ended without a `finish_reason`, so it can be cut. Try again; if it happens again, check the service."
    : "The model's answer ended early. Try again; if it happens again, check the connection.";
}

function isEndless(error: unknown): boolean {
  return error instanceof Error && /without a finish reason/iu.test(error.message);
}

/**
 * The reason for which the SDK rejected a complete reply, or undefined. Another request would get
 * the same.
 */
function unreadableIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  if (error.name === 'AI_APICallError') return cause === undefined ? undefined : unreadableIn(cause);
  if (error.name !== 'AI_TypeValidationError') return undefined;
  return cut(cause instanceof Error ? cause.message : error.message);
}

/** Returns our own error, which the SDK might have wrapped in another one. */
export function ownErrorIn(error: unknown): ModelError | undefined {
  if (ModelError.isInstance(error)) return error;
  return error instanceof Error && ModelError.isInstance(error.cause) ? error.cause : undefined;
}

function isRefusal(error: Error): boolean {
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode >= 400;
  if (error.name === 'AI_StreamProviderError') return refusalIn(error) !== undefined;
  return error.name === 'AbortError' || error.name.startsWith('AI_Unsupported');
}
