/**
 * Match selection: candidates, the held closing, and the last sealed match. Pure.
 *
 * opening → candidate (a reader of the following text) → closing: seals the earliest complete one,
 * is held while one is inside a string, else seals an invalid match. Text is always complete, and
 * each opening begins it again.
 *
 * Each live candidate of JSON that survives a tag is inside a string, because `<` is not valid JSON outside
 * of one. Of two such candidates, the next quote leaves one. So at most two are ever live, one
 * closing is ever held, and a character costs constant work however many openings there are. Dead
 * candidates are discarded, except the latest opening: a limit on candidates is never reached, and
 * a value can mention its own tag any number of times.
 */
import type { JsonValue } from '../../kit/json-value.ts';
import { createPartialBuilder, type JsonSink, type PartialBuilder } from '../../json/scan/partial-builder.ts';
import { RetainedText } from './retained-text.ts';
import type { TagHandler } from './tag-finder.ts';

interface Match {
  /** Undefined if it exceeds the limit. */
  readonly raw: string | undefined;
  /** In the whole text, in UTF-16 units. `end` is exclusive. */
  readonly span: { readonly start: number; readonly end: number };
}

/** The answer in a finished text. */
export type ScanOutcome =
  | { readonly type: 'none' }
  | ({ readonly type: 'match'; readonly isUnclosedAfter: boolean } & Match)
  | ({ readonly type: 'truncated' } & Match);

/** The answer so far. */
export interface Draft {
  readonly value: JsonValue | undefined;
  /** Increments when the preview restarts. */
  readonly draft: number;
}

/** Reads the content of one candidate. Notifies a sink, if it has one. */
export interface ContentReader {
  /** True if no continuation makes the content an answer. */
  readonly isDead: boolean;
  readonly isComplete: boolean;
  /** True if a tag here can be part of the answer. */
  readonly isInString: boolean;
  /** True if the text was meant as an answer, so that it is truncated without a closing. */
  readonly isOpened: boolean;
  /** True from the value's first character. */
  readonly isBegun: boolean;
  /** True if the next opening begins the answer again. */
  readonly endsAtOpening: boolean;
  /** Reads `text` from `from` (inclusive) to `to` (exclusive). */
  read(text: string, from: number, to: number): void;
  end(): void;
  detach(): void;
}

/** An opening that can turn out to open the answer. */
interface Candidate {
  readonly start: number;
  reader: ContentReader;
  /** True after a closing tag made it a match. */
  isSealed: boolean;
}

/** Finds the match of an answer between `<tag>` and `</tag>`. */
export class MatchScanner implements TagHandler {
  readonly #opening: string;
  readonly #closing: string;
  readonly #maxChars: number;
  readonly #Reader: new (sink?: JsonSink) => ContentReader;
  readonly #retained = new RetainedText();
  /** Candidates whose content is or can become an answer, in order. */
  #live: Candidate[] = [];
  /** The latest opening since the last match, live or dead. */
  #latest: Candidate | undefined;
  /** The match of a closing that can be part of a string, in case it is not. */
  #held: Match | undefined;
  #match: Match | undefined;
  /** End of the text read so far. */
  #end = 0;
  /** The candidate of the last match, if it was complete. */
  #sealed: Candidate | undefined;
  /** The candidate in the preview, which is built from the first request on. */
  #shown: Candidate | undefined;
  #builder: PartialBuilder | undefined;
  #draft = 0;

  /** @param maxChars - longer content, in UTF-16 units, is discarded */
  constructor(tag: string, maxChars: number, Reader: new (sink?: JsonSink) => ContentReader) {
    this.#opening = `<${tag}>`;
    this.#closing = `</${tag}>`;
    this.#maxChars = maxChars;
    this.#Reader = Reader;
  }

  get wantsClosings(): boolean {
    return this.#latest !== undefined;
  }

  text(text: string, from: number, to: number, position: number): void {
    if (this.#latest === undefined) return;
    let hasDied = false;
    for (const { reader } of this.#live) {
      reader.read(text, from, to);
      hasDied ||= reader.isDead;
    }
    const end = position + to - from;
    this.#end = end;
    if (this.#keptFrom() < end) this.#retained.push(text.slice(from, to), position);
    if (hasDied) {
      this.#live = this.#live.filter(({ reader }) => !reader.isDead);
      this.#settle();
    }
    this.#forget();
  }

  open(position: number): void {
    this.#live = this.#live.filter(({ reader }) => !reader.endsAtOpening);
    this.text(this.#opening, 0, this.#opening.length, position);
    const start = position + this.#opening.length;
    this.#latest = { start, reader: new this.#Reader(), isSealed: false };
    this.#live.push(this.#latest);
    this.#end = start;
    this.#forget();
  }

  close(position: number): void {
    const latest = this.#latest;
    if (latest === undefined) return;
    const complete = this.#live.find(({ reader }) => reader.isComplete);
    if (complete === undefined && this.#live.some(({ reader }) => reader.isInString)) {
      this.#hold(latest, position);
      return;
    }
    if (complete !== undefined) {
      complete.isSealed = true;
      complete.reader.end();
    }
    this.#seal(this.#matchOf(complete ?? latest, position), complete);
  }

  finish(position: number): ScanOutcome {
    if (this.#held !== undefined) this.#seal(this.#held, undefined);
    const begun = this.#live.find(({ reader }) => reader.isOpened);
    if (this.#latest !== undefined && begun !== undefined) {
      const { raw, span } = this.#matchOf(this.#latest, position);
      return { type: 'truncated', raw: this.#isKept(begun, position) ? raw : undefined, span };
    }
    if (this.#match === undefined) return { type: 'none' };
    return { type: 'match', ...this.#match, isUnclosedAfter: this.#latest !== undefined };
  }

  /** Returns the current draft. Without an open one, the last one is kept. */
  partial(): Draft {
    const begun = this.#live.find(({ reader }) => reader.isBegun);
    if (begun === undefined) {
      const raw = this.#match?.raw;
      if (this.#sealed !== undefined && raw !== undefined) this.#show(this.#sealed, () => raw);
    } else if (this.#isKept(begun, this.#end)) {
      this.#show(begun, () => this.#retained.slice(begun.start, Number.POSITIVE_INFINITY));
    }
    return { value: this.#builder?.value, draft: this.#draft };
  }

  #show(candidate: Candidate, readContent: () => string): void {
    if (candidate === this.#shown) return;
    this.#shown = candidate;
    this.#builder = createPartialBuilder();
    this.#draft += 1;
    // Earlier content is read once more. From here on one reader both validates and builds.
    const content = readContent();
    candidate.reader = new this.#Reader(this.#builder);
    candidate.reader.read(content, 0, content.length);
    if (candidate.isSealed) candidate.reader.end();
  }

  #hold(latest: Candidate, position: number): void {
    // If the first closing seals, a second one after the same opening is a mention. After another
    // opening it would seal last, and win.
    const isFirst = this.#held === undefined || latest.start > this.#held.span.end;
    const match = isFirst ? this.#matchOf(latest, position) : undefined;
    this.text(this.#closing, 0, this.#closing.length, position);
    // The closing's own characters can invalidate the candidate that held the earlier closing,
    // which then seals and is no longer held.
    this.#held = match ?? this.#held;
    this.#settle();
  }

  /** Seals the held closing once no earlier candidate is live. */
  #settle(): void {
    const held = this.#held;
    if (held === undefined || this.#live.some(({ start }) => start <= held.span.end)) return;
    this.#seal(held, undefined);
  }

  #isKept({ start }: Candidate, end: number): boolean {
    return end - start <= this.#maxChars;
  }

  #matchOf(candidate: Candidate, end: number): Match {
    const { start } = candidate;
    const raw = this.#isKept(candidate, end) ? this.#retained.slice(start, end) : undefined;
    return { raw, span: { start, end } };
  }

  /** Makes the match the last one. Openings before its end are finished. */
  #seal(match: Match, candidate: Candidate | undefined): void {
    const { end } = match.span;
    this.#match = match;
    this.#sealed = candidate;
    this.#held = undefined;
    this.#live = this.#live.filter(({ start }) => start > end);
    if (this.#latest !== undefined && this.#latest.start <= end) this.#latest = undefined;
    this.#forget();
  }

  /**
   * Returns the start of the text that a live candidate or the latest opening can need. Oversized
   * content is not needed.
   */
  #keptFrom(): number {
    const wanted = this.#live.find((candidate) => this.#isKept(candidate, this.#end)) ?? this.#latest;
    return wanted !== undefined && this.#isKept(wanted, this.#end) ? wanted.start : Number.POSITIVE_INFINITY;
  }

  #forget(): void {
    for (const candidate of this.#live) if (!this.#isKept(candidate, this.#end)) candidate.reader.detach();
    this.#retained.dropBefore(this.#keptFrom());
  }
}
