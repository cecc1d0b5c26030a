/**
 * Secret scanner: masks a text that arrives in pieces, in linear time and bounded memory.
 *
 * Each character of a secret becomes `*`. A masked text therefore keeps its length in UTF-16 code
 * units, and spans into it stay valid. A secret of any length can be written as it arrives, because
 * only an undecided beginning is held back.
 */
import { MIN_NEEDLE_CHARS } from './gram-filter.ts';
import { isLineBreak, type NeedleAutomaton } from './needle-automaton.ts';
import type { ShapeRun, TokenShape } from './token-shapes.ts';

interface Interval {
  start: number;
  end: number;
}

interface Candidate {
  readonly shape: TokenShape;
  readonly start: number;
  readonly run: ShapeRun;
  isSecret: boolean;
}

/**
 * At a cut, the beginning of a known value counts as secret from this length on. Shorter ones are
 * too common.
 */
const MIN_CUT_CHARS = 8;
/** Below this length, a line that ends like the beginning of a value would often be held back. */
const MIN_WRAPPED_CHARS = 3;
/** Limits the list of places where a needle can begin. */
const BLOCK_CHARS = 65_536;
/** Characters of passed text that are kept: more than a token's prefix whose start must be a boundary. */
const TAIL_CHARS = 32;
const ELLIPSIS = 0x20_26;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export class SecretScanner {
  /** Steps of open candidates. Tests check their limit. The automaton counts its own steps. */
  candidateSteps = 0;
  #node = 0;
  #held = '';
  /** Absolute position of the first held character. */
  #base = 0;
  /** End of the returned text, because a prefix can have started there. */
  #tail = '';
  #marks: Interval[] = [];
  /** Positions of the line breaks inside the beginning of a value, in ascending order. */
  #breaks: number[] = [];
  #candidates: Candidate[] = [];
  readonly #automaton: NeedleAutomaton;

  constructor(automaton: NeedleAutomaton) {
    this.#automaton = automaton;
  }

  /** Number of characters that are held back. */
  get heldChars(): number {
    return this.#held.length;
  }

  /** Accepts a piece. Returns the decided text. */
  push(chunk: string): string {
    if (chunk.length <= BLOCK_CHARS) return this.#pushBlock(chunk);
    let text = '';
    for (let at = 0; at < chunk.length; at += BLOCK_CHARS) {
      text += this.#pushBlock(chunk.slice(at, at + BLOCK_CHARS));
    }
    return text;
  }

  /** Returns the text that was held back, and resets the scanner. */
  end(): string {
    this.#markCut(this.#base + this.#held.length);
    const text = this.#take(this.#held.length);
    this.#node = 0;
    this.#tail = '';
    this.#candidates = [];
    this.#marks = [];
    this.#breaks = [];
    return text;
  }

  #pushBlock(block: string): string {
    const from = this.#held.length;
    this.#held += block;
    const starts = this.#automaton.possibleStarts(this.#held);
    let next = 0;
    for (let at = from; at < this.#held.length; at += 1) {
      const begun = this.#begunAt(at);
      if (begun !== undefined) {
        while ((starts[next] ?? begun) < begun) next += 1;
        const start = starts[next] ?? at - 1;
        if (start >= at) {
          at = start;
          this.#node = 0;
          this.#breaks = [];
        }
      }
      this.#step(this.#held.charCodeAt(at), this.#base + at);
    }
    return this.#take(this.#undecidedFrom() - this.#base);
  }

  /**
   * Where the text of the node before a held character begins, if all of it can be read again: nothing else
   * is open, and fewer characters were read than the filter compares.
   */
  #begunAt(at: number): number | undefined {
    const depth = this.#automaton.depth(this.#node);
    return this.#candidates.length === 0 && depth < MIN_NEEDLE_CHARS && depth <= at ? at - depth : undefined;
  }

  #step(code: number, position: number): void {
    if (code === ELLIPSIS) this.#markCut(position);
    if (this.#candidates.length > 0) this.#advance(code, position);
    const automaton = this.#automaton;
    if (isLineBreak(code) && this.#isWrap(code, position)) {
      const start = this.#startOf(automaton.begunLength(this.#node), position - 1);
      this.#breaks = [...this.#breaks.filter((earlier) => earlier >= start), position];
      return;
    }
    this.#node = automaton.next(this.#node, code);
    if (this.#node === 0) this.#breaks = [];
    const length = automaton.matchLength(this.#node);
    if (length > 0) this.#mark(this.#startOf(length, position), position + 1);
    for (const { shape, prefixChars } of automaton.shapeStarts(this.#node)) {
      const start = position + 1 - prefixChars;
      if (shape.needsBoundary && isWordCode(this.#codeBefore(start))) continue;
      // An earlier candidate covers this one, or ends before it.
      if (this.#candidates.some((open) => open.shape === shape)) continue;
      this.#candidates.push({ shape, start: position + 1, run: shape.begin(position + 1), isSecret: false });
    }
  }

  #advance(code: number, position: number): void {
    this.candidateSteps += this.#candidates.length;
    let hasEnded = false;
    for (const candidate of this.#candidates) {
      const verdict = candidate.run.advance(code, position);
      if (verdict === 'open') continue;
      if (verdict === 'secret') {
        candidate.isSecret = true;
        this.#mark(candidate.run.from, position + 1);
        continue;
      }
      if (verdict === 'sealed') this.#mark(candidate.run.from, position);
      Object.assign(candidate, { start: Infinity });
      hasEnded = true;
    }
    if (hasEnded) this.#candidates = this.#candidates.filter(({ start }) => start !== Infinity);
  }

  #markCut(position: number): void {
    const begun = this.#automaton.begunLength(this.#node);
    if (begun >= MIN_CUT_CHARS) this.#mark(this.#startOf(begun, position - 1), position);
  }

  /** Programs such as `base64` wrap long lines, so one line break inside a value is skipped. */
  #isWrap(code: number, position: number): boolean {
    if (this.#automaton.takesBreak(this.#node)) return false;
    if (this.#automaton.begunLength(this.#node) < MIN_WRAPPED_CHARS) return false;
    const isAfterBreak = this.#breaks.at(-1) === position - 1;
    return !isAfterBreak || (code === LINE_FEED && this.#codeBefore(position) === CARRIAGE_RETURN);
  }

  /** Start of the `length` characters that end at `last`, without counting skipped line breaks. */
  #startOf(length: number, last: number): number {
    let start = last + 1 - length;
    for (let at = this.#breaks.length - 1; at >= 0 && (this.#breaks[at] ?? 0) >= start; at -= 1) start -= 1;
    return start;
  }

  #mark(from: number, end: number): void {
    let start = Math.max(from, this.#base);
    for (let last = this.#marks.at(-1); last !== undefined && last.end >= start; last = this.#marks.at(-1)) {
      start = Math.min(start, last.start);
      this.#marks.pop();
    }
    this.#marks.push({ start, end });
  }

  #codeBefore(position: number): number {
    const at = position - this.#base - 1;
    return at < 0 ? this.#tail.charCodeAt(this.#tail.length + at) : this.#held.charCodeAt(at);
  }

  #undecidedFrom(): number {
    const begun = this.#automaton.begunLength(this.#node);
    const end = this.#base + this.#held.length;
    let from = begun === 0 ? end : this.#startOf(begun, end - 1);
    for (const { isSecret, start } of this.#candidates) if (!isSecret) from = Math.min(from, start);
    return Math.max(from, this.#base);
  }

  /** Removes and returns the first `count` characters, masked. */
  #take(count: number): string {
    if (count === 0) return '';
    const end = this.#base + count;
    let text = '';
    let at = this.#base;
    const left: Interval[] = [];
    for (const mark of this.#marks) {
      const from = Math.min(mark.start, end);
      const to = Math.min(mark.end, end);
      text +=
        this.#held.slice(at - this.#base, from - this.#base) +
        stars(this.#held.slice(from - this.#base, to - this.#base));
      at = to;
      if (mark.end > end) left.push({ start: Math.max(mark.start, end), end: mark.end });
    }
    text += this.#held.slice(at - this.#base, count);
    this.#tail = (this.#tail + this.#held.slice(0, count).slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
    this.#held = this.#held.slice(count);
    this.#base = end;
    this.#marks = left;
    return text;
  }
}

/** Line breaks are kept. */
function stars(text: string): string {
  return text.replaceAll(/[^\r\n]/gu, (character) => '*'.repeat(character.length));
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
