/**
 * Batches the stream of one model call, and extracts the growing answer from the finalizer's
 * arguments.
 */
import { FINALIZER_KEY, FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
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

/** Starts the pieces of a call. With `answersByText` the text itself is the answer. */
export function liveWriter(
  live: LiveParts,
  episode: LiveEpisode,
  { answersByText }: { readonly answersByText: boolean },
): LiveWriter {
  let hints: LiveHint[] = [];
  let seq = 0;
  let timer: NodeJS.Timeout | undefined;
  const preview = answerPreview(answersByText);
  const flush = (publish: (batch: LiveBatch) => void): void => {
    clearTimeout(timer);
    timer = undefined;
    const value = preview.read();
    if (value !== undefined) hints.push({ type: 'partial', value });
    if (hints.length === 0) return;
    publish({ ...episode, seq, hints });
    seq += hints.length;
    hints = [];
  };
  return {
    push: (part) => {
      preview.push(part);
      hints.push(part);
      timer ??= setTimeout(() => flush(live.publish), FLUSH_MS);
    },
    end: () => {
      flush(live.publishLast);
      live.end(episode.chatId);
    },
  };
}

/** Prepended to answers without a tag, because the preview scanner needs one. */
const PREVIEW_TAG = 'truecast-preview';

interface AnswerPreview {
  push(part: LivePart): void;
  /** The value so far. Undefined if it has not grown. */
  read(): JsonValue | undefined;
}

function answerPreview(answersByText: boolean): AnswerPreview {
  let scanner = newScanner();
  let callId: string | undefined;
  let hasGrown = false;
  return {
    push: (part) => {
      if (part.type === 'tool-input-start' && part.tool_name === FINALIZER_NAME) {
        scanner = newScanner();
        callId = part.tool_call_id;
      }
      const isAnswer =
        (part.type === 'tool-input-delta' && part.tool_call_id === callId) ||
        (part.type === 'text-delta' && answersByText);
      if (!isAnswer) return;
      scanner.push(part.type === 'text-delta' ? part.text : part.delta);
      hasGrown = true;
    },
    read: () => {
      if (!hasGrown) return undefined;
      hasGrown = false;
      const { value } = scanner.partial();
      return answersByText ? toJson(value) : toJson(memberOf(value));
    },
  };
}

function newScanner(): ReturnType<typeof createTagScanner> {
  const scanner = createTagScanner(Output.json({ tag: PREVIEW_TAG }));
  scanner.push(`<${PREVIEW_TAG}>`);
  return scanner;
}

function memberOf(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, FINALIZER_KEY);
  return isObject ? Reflect.get(value, FINALIZER_KEY) : undefined;
}

/** A scanner returns JSON. */
function toJson(value: unknown): JsonValue | undefined {
  return value as JsonValue | undefined;
}
