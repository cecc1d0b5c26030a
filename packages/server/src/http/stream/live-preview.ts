/**
 * Preview of a growing answer for one stream: throttled hints, without content that rows already
 * contain.
 */
import type { LiveEvent, PartEvent } from '@truecast/client/internal/wire/stream-event';
import type { LiveBatch, LiveHint } from '../../live/live-parts.ts';
import type { LivePart } from '../../models/step-request.ts';
import type { Chat } from '../../state/rows/chat-records.ts';
import { previewJson } from '@truecast/core/internal/output/scan/preview-json';
import { valueIn } from '@truecast/core/internal/output/judge/judged';

/** Form of the growing answer: its raw text, or the raw text and the whole value. */
export type PartialsForm = 'text' | 'values';

/** Maximum number of pending hints. The client receives the committed message soon anyway. */
const MAX_WAITING_HINTS = 1_000;

/** Collects hints until they are taken. */
export class LivePreview {
  readonly #values: PartialValues | undefined;
  #waiting: LiveBatch[] = [];
  #count = 0;
  #isCut = false;
  #told: { readonly episode: string; readonly nextSeq: number } | undefined;

  /** With `values`, the partial answer is sent after some of the parts. */
  constructor(partials: PartialsForm) {
    this.#values = partials === 'values' ? new PartialValues() : undefined;
  }

  add(batch: LiveBatch): void {
    this.#waiting.push(batch);
    this.#count += batch.hints.length;
    if (this.#count <= MAX_WAITING_HINTS) return;
    this.#waiting = [];
    this.#count = 0;
    this.#isCut = true;
  }

  /** Returns the hints that can be sent after `chat` was sent. Without a chat, none. */
  take(chat: Chat | undefined): readonly LiveEvent[] {
    const batches = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    const events = batches
      .filter((batch) => chat !== undefined && batch.historyVersion >= chat.historyVersion)
      .flatMap((batch) => this.#tell(batch, chat?.requestId));
    if (!this.#isCut || events[0]?.type === 'preview_reset') return events;
    this.#isCut = false;
    return [{ type: 'preview_reset' }, ...events];
  }

  #tell({ historyVersion, attempt, seq, hints }: LiveBatch, requestId: string | undefined): LiveEvent[] {
    const episode = `${historyVersion}.${attempt}`;
    const isNext = this.#told?.episode === episode && this.#told.nextSeq === seq;
    const isFirst = this.#told === undefined && seq === 0;
    this.#told = { episode, nextSeq: seq + hints.length };
    const events = hints.flatMap((hint) => this.#toEvents(toPart(hint, requestId)));
    return isNext || isFirst ? events : [{ type: 'preview_reset' }, ...events];
  }

  #toEvents(part: PartEvent): LiveEvent[] {
    return [part, ...(this.#values?.push(part) ?? [])];
  }
}

function toPart(hint: LiveHint, requestId: string | undefined): PartEvent {
  const { offset } = hint;
  const part = partOf(hint);
  if (offset === undefined || requestId === undefined) return part;
  return { ...part, request_id: requestId, offset };
}

function partOf(hint: LivePart): PartEvent {
  if (hint.type === 'text-delta') return { type: 'part', kind: 'text', delta: hint.text };
  if (hint.type === 'reasoning-delta') return { type: 'part', kind: 'reasoning', delta: hint.text };
  const { tool_call_id } = hint;
  if (hint.type === 'tool-input-delta') {
    return { type: 'part', kind: 'tool_call', delta: hint.delta, tool_call_id };
  }
  return { type: 'part', kind: 'tool_call', delta: '', tool_call_id, tool_name: hint.tool_name };
}

/**
 * Growth factor of the text after which its value is sent again. All values together are then at
 * most five times the size of the last one.
 */
const GROWTH = 1.25;

/** Builds values from the parts of an answer. */
class PartialValues {
  #text = '';
  #dueChars = 0;

  /** Reads a part. Returns the value so far if it is due. */
  push({ kind, delta, request_id, offset }: PartEvent): LiveEvent[] {
    if (request_id === undefined || offset === undefined) return [];
    if (offset === 0) [this.#text, this.#dueChars] = ['', 0];
    // After a lost part, the rest cannot be parsed.
    if (offset !== this.#text.length) return [];
    this.#text += delta;
    if (this.#text.length < this.#dueChars) return [];
    const read = previewJson(this.#text);
    const value = kind === 'text' ? read : valueIn(read);
    if (value === undefined) return [];
    this.#dueChars = this.#text.length * GROWTH;
    return [{ type: 'partial', request_id, value, is_validated: false }];
  }
}
