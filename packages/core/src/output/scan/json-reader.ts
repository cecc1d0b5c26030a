/**
 * Incremental reader for the text between two tags: white space, an optional Markdown fence, and
 * strict JSON.
 *
 * It is complete exactly if trimming, removing the fence, trimming again and `JSON.parse` would
 * succeed. A property test compares both.
 */
import { JsonBodyReader } from './json-body-reader.ts';
import type { JsonSink } from './json-sink.ts';

/**
 * Parts in order: lead, opening fence, info string, white space, the value, white space, closing
 * fence, white space.
 */
type Phase =
  | 'lead'
  | 'fence'
  | 'info'
  | 'info-end'
  | 'fence-lead'
  | 'body'
  | 'trail'
  | 'close'
  | 'end'
  | 'dead';

const INFO = 'json';
const MIN_FENCE_CHARS = 3;
const WHITE_SPACE = /\s/u;

/** Reads one candidate for an answer. Notifies a sink, if given. */
export class JsonReader {
  readonly #body: JsonBodyReader;
  #phase: Phase = 'lead';
  #fenceChars = 0;
  #closeChars = 0;
  #infoChars = 0;
  #hasSpace = false;
  #isBegun = false;

  constructor(sink?: JsonSink) {
    this.#body = new JsonBodyReader(sink);
  }

  get isDead(): boolean {
    return this.#phase === 'dead';
  }

  get isComplete(): boolean {
    const isClosed = this.#phase === 'close' && this.#closeChars >= this.#fenceChars;
    if (this.#fenceChars > 0) return this.#phase === 'end' || isClosed;
    return this.#phase === 'trail' || (this.#phase === 'body' && this.#body.isWhole);
  }

  get isInString(): boolean {
    return this.#phase === 'body' && this.#body.isInString;
  }

  /** True from a fence or the value's first character: the text was meant as an answer. */
  get isOpened(): boolean {
    if (this.#isBegun || this.#phase === 'info' || this.#phase === 'info-end') return !this.isDead;
    if (this.#phase === 'fence-lead') return true;
    // Directly after the tag, backticks close a mention of it.
    return this.#phase === 'fence' && this.#hasSpace;
  }

  /** True from the value's first character. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Marks the end of the text, which completes a top-level number. */
  end(): void {
    if (this.#phase === 'body') this.#body.end();
  }

  /** Stops notifying the sink. */
  detach(): void {
    this.#body.detach();
  }

  /** Reads `text` from `from` (inclusive) to `to` (exclusive). */
  read(text: string, from: number, to: number): void {
    let at = from;
    while (at < to && !this.isDead) {
      if (this.#phase === 'body') {
        at = this.#readBody(text, at, to);
        continue;
      }
      this.#phase = this.#readAround(text.charAt(at));
      if (!this.isDead) at += 1;
    }
  }

  #readBody(text: string, from: number, to: number): number {
    const stoppedAt = this.#body.read(text, from, to);
    if (this.#body.isDead) this.#phase = 'dead';
    else if (stoppedAt < to) this.#phase = 'trail';
    return stoppedAt;
  }

  /** Reads one character outside the value. Returns the next phase. */
  #readAround(char: string): Phase {
    switch (this.#phase) {
      case 'lead':
        this.#hasSpace ||= isWhiteSpace(char);
        if (char !== '`') return isWhiteSpace(char) ? 'lead' : this.#begin(char);
        this.#fenceChars = 1;
        return 'fence';
      case 'fence':
        return this.#readFence(char);
      case 'info':
        return this.#readInfo(char);
      case 'info-end':
        // A longer word is another language.
        if (isWordCharacter(char)) return 'dead';
        return isWhiteSpace(char) ? 'fence-lead' : this.#begin(char);
      case 'fence-lead':
        return isWhiteSpace(char) ? 'fence-lead' : this.#begin(char);
      case 'trail':
      case 'close':
      case 'end':
        return this.#readAfter(char);
      default:
        return 'dead';
    }
  }

  #begin(char: string): Phase {
    this.#body.read(char, 0, 1);
    this.#isBegun = !this.#body.isDead;
    return this.#isBegun ? 'body' : 'dead';
  }

  #readFence(char: string): Phase {
    if (char === '`') {
      this.#fenceChars += 1;
      return 'fence';
    }
    if (this.#fenceChars < MIN_FENCE_CHARS) return 'dead';
    if (char.toLowerCase() === INFO.charAt(0)) return this.#readInfo(char);
    return isWhiteSpace(char) ? 'fence-lead' : this.#begin(char);
  }

  #readInfo(char: string): Phase {
    if (char.toLowerCase() !== INFO.charAt(this.#infoChars)) return 'dead';
    this.#infoChars += 1;
    return this.#infoChars === INFO.length ? 'info-end' : 'info';
  }

  #readAfter(char: string): Phase {
    if (this.#phase === 'close' && char === '`') {
      this.#closeChars += 1;
      return 'close';
    }
    if (isWhiteSpace(char)) {
      if (this.#phase === 'trail') return 'trail';
      return this.#phase === 'end' || this.#closeChars >= this.#fenceChars ? 'end' : 'dead';
    }
    if (this.#phase !== 'trail' || char !== '`' || this.#fenceChars === 0) return 'dead';
    this.#closeChars = 1;
    return 'close';
  }
}

/** The characters that `String.prototype.trim` removes. */
function isWhiteSpace(char: string): boolean {
  return char === ' ' || char === '\n' || WHITE_SPACE.test(char);
}

/** Characters that make `json` a prefix of another word. */
export function isWordCharacter(char: string): boolean {
  return /\w/u.test(char);
}
