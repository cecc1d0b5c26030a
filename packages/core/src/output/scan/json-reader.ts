/**
 * Incremental reader for the text between two tags: white space, an optional Markdown fence, and
 * strict JSON.
 *
 * It is complete exactly if trimming, removing the fence, trimming again and `JSON.parse` would
 * succeed. A property test compares both.
 */
import { JsonBodyReader } from '../../json/scan/json-body-reader.ts';
import type { ContentReader } from './match-scanner.ts';
import type { JsonSink } from '../../json/scan/partial-builder.ts';

/** A shorter run of backticks does not end the fence. */
const MIN_FENCE_CHARS = 3;
/** The only info string of a fence around an answer, in any case. */
const INFO = 'json';
const WHITE_SPACE = /\s/u;
const WORD = /\w/u;

/** Reads one candidate for a JSON answer. */
export class JsonReader implements ContentReader {
  readonly endsAtOpening = false;
  readonly #body: JsonBodyReader;
  /** `lead` is white space and the opening fence, `trail` the closing fence and white space. */
  #phase: 'lead' | 'body' | 'trail' | 'dead' = 'lead';
  /** Backticks of the opening fence. */
  #fenceChars = 0;
  /** Characters of the info string so far. */
  #infoChars = 0;
  /** Backticks of the closing fence. */
  #closeChars = 0;
  /** True after white space before the fence. */
  #hasSpace = false;
  /** True after white space that ends the opening fence, or the closing one. */
  #isFenceEnded = false;
  #isBegun = false;

  constructor(sink?: JsonSink) {
    this.#body = new JsonBodyReader(sink);
  }

  get isDead(): boolean {
    return this.#phase === 'dead';
  }

  get isComplete(): boolean {
    if (this.#fenceChars > 0) return this.#phase === 'trail' && this.#closeChars >= this.#fenceChars;
    return this.#phase === 'trail' || (this.#phase === 'body' && this.#body.isWhole);
  }

  get isInString(): boolean {
    return this.#phase === 'body' && this.#body.isInString;
  }

  get isOpened(): boolean {
    if (this.isDead) return false;
    // Directly after the tag, backticks close a mention of it.
    const isFenced = this.#infoChars > 0 || this.#isFenceEnded || (this.#fenceChars > 0 && this.#hasSpace);
    return this.#isBegun || isFenced;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Completes a top-level number. */
  end(): void {
    if (this.#phase === 'body') this.#body.end();
  }

  detach(): void {
    this.#body.detach();
  }

  read(text: string, from: number, to: number): void {
    let at = from;
    while (at < to && this.#phase !== 'dead') {
      if (this.#phase === 'body') {
        at = this.#readBody(text, at, to);
        continue;
      }
      const isValid =
        this.#phase === 'lead' ? this.#readLead(text.charAt(at)) : this.#readTrail(text.charAt(at));
      if (!isValid) this.#phase = 'dead';
      at += 1;
    }
  }

  #readBody(text: string, from: number, to: number): number {
    const stoppedAt = this.#body.read(text, from, to);
    if (this.#body.isDead) this.#phase = 'dead';
    else if (stoppedAt < to) [this.#phase, this.#isFenceEnded] = ['trail', false];
    return stoppedAt;
  }

  /** Reads one character before the value, or its first one. Returns false if no answer begins so. */
  #readLead(char: string): boolean {
    const isShort = this.#fenceChars > 0 && this.#fenceChars < MIN_FENCE_CHARS;
    const isInfoOpen = this.#infoChars > 0 && this.#infoChars < INFO.length;
    if (isWhiteSpace(char)) {
      if (this.#fenceChars === 0) this.#hasSpace = true;
      else this.#isFenceEnded = true;
      return !isShort && !isInfoOpen;
    }
    if (!this.#isFenceEnded) {
      if (char === '`' && this.#infoChars === 0) {
        this.#fenceChars += 1;
        return true;
      }
      if (this.#fenceChars > 0 && !isShort && char.toLowerCase() === INFO.charAt(this.#infoChars)) {
        this.#infoChars += 1;
        return true;
      }
      // A longer word is another language.
      if (isInfoOpen || (this.#infoChars > 0 && WORD.test(char))) return false;
    }
    if (isShort) return false;
    this.#phase = 'body';
    this.#body.read(char, 0, 1);
    this.#isBegun = !this.#body.isDead;
    return this.#isBegun;
  }

  /** Reads one character after the value. Returns false if no answer can end with it. */
  #readTrail(char: string): boolean {
    if (isWhiteSpace(char)) {
      this.#isFenceEnded = this.#closeChars > 0;
      return this.#closeChars === 0 || this.#closeChars >= this.#fenceChars;
    }
    this.#closeChars += 1;
    return char === '`' && this.#fenceChars > 0 && !this.#isFenceEnded;
  }
}

/** The characters that `String.prototype.trim` removes. */
function isWhiteSpace(char: string): boolean {
  return char === ' ' || char === '\n' || WHITE_SPACE.test(char);
}

/**
 * Returns the content of a fence if the whole `text` is one, else `text`. Both are trimmed.
 *
 * A fence has three or more backticks, optionally `json` in any case, and a closing fence that is
 * at least as long. Newlines are optional. Linear.
 */
export function unwrapFence(text: string): string {
  const whole = text.trim();
  const opening = countBackticks(whole, 0, 1);
  const closing = countBackticks(whole, whole.length - 1, -1);
  if (opening < MIN_FENCE_CHARS || closing < opening || opening + closing > whole.length) return whole;
  const inside = whole.slice(opening, whole.length - closing);
  if (inside.slice(0, INFO.length).toLowerCase() !== INFO) return inside.trim();
  // A longer word, such as `json5`, is another language.
  return WORD.test(inside.charAt(INFO.length)) ? whole : inside.slice(INFO.length).trim();
}

function countBackticks(text: string, from: number, step: 1 | -1): number {
  let count = 0;
  while (text.charAt(from + count * step) === '`') count += 1;
  return count;
}
