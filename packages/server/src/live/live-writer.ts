/**
 * Batches the stream of one model call: joins its pieces, and marks those of the answer.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { LivePart } from '../models/step-request.ts';
import type { LiveBatch, LiveEpisode, LiveHint, LiveParts } from './live-parts.ts';

/** Receives the pieces of one call. */
export interface LiveWriter {
  push(part: LivePart): void;
  /** Publishes the rest and marks the end of the call. */
  end(): void;
}

/** Batch interval: long enough to collect words, short enough to look live. */
const FLUSH_MS = 30;
/**
 * Maximum length of a joined piece in UTF-16 units. It fits into a notification with its envelope.
 */
const MAX_JOINED_UNITS = 1_000;

/** Starts the pieces of a call. With `answersByText`, the text itself is the answer. */
export function liveWriter(
  live: LiveParts,
  episode: LiveEpisode,
  { answersByText }: { readonly answersByText: boolean },
): LiveWriter {
  let hints: LiveHint[] = [];
  let seq = 0;
  let timer: NodeJS.Timeout | undefined;
  const mark = answerMarker(answersByText);
  const flush = (publish: (batch: LiveBatch) => void): void => {
    clearTimeout(timer);
    timer = undefined;
    if (hints.length === 0) return;
    publish({ ...episode, seq, hints });
    seq += hints.length;
    hints = [];
  };
  return {
    push: (part) => {
      const hint = mark(part);
      const last = hints.at(-1);
      const joined = last && joinHints(last, hint);
      if (joined === undefined) hints.push(hint);
      else hints[hints.length - 1] = joined;
      timer ??= setTimeout(() => flush(live.publish), FLUSH_MS);
    },
    end: () => {
      flush(live.publishLast);
      live.end(episode.chatId);
    },
  };
}

/** Adds to each piece of the answer its position in the answer's text. */
function answerMarker(answersByText: boolean): (part: LivePart) => LiveHint {
  let callId: string | undefined;
  let offset = 0;
  return (part) => {
    if (part.type === 'tool-input-start' && part.tool_name === FINALIZER_NAME) {
      callId = part.tool_call_id;
      offset = 0;
    }
    const isAnswer =
      (part.type === 'tool-input-delta' && part.tool_call_id === callId) ||
      (part.type === 'text-delta' && answersByText);
    if (!isAnswer) return part;
    const marked = { ...part, offset };
    offset += textOf(part).length;
    return marked;
  };
}

/**
 * Joins two consecutive pieces of the same text. Undefined for different texts, or if the result is
 * too long.
 */
function joinHints(last: LiveHint, next: LiveHint): LiveHint | undefined {
  if (last.type === 'tool-input-start' || last.type !== next.type) return undefined;
  const text = textOf(last) + textOf(next);
  if (text.length > MAX_JOINED_UNITS || isMarked(last) !== isMarked(next)) return undefined;
  if (last.type !== 'tool-input-delta') return { ...last, text };
  const isSameCall = next.type === last.type && next.tool_call_id === last.tool_call_id;
  return isSameCall ? { ...last, delta: text } : undefined;
}

function isMarked(hint: LiveHint): boolean {
  return 'offset' in hint;
}

function textOf(part: LivePart): string {
  if (part.type === 'tool-input-start') return '';
  return part.type === 'tool-input-delta' ? part.delta : part.text;
}
