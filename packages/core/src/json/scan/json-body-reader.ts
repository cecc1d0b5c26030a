/**
 * Incremental strict JSON parser (RFC 8259), from a value's first character to the one after its
 * last.
 *
 * Iterative and bounded: depth costs no stack frame, and each character costs constant work.
 */
import { firstNumberState, mayNumberEnd, nextNumberState, type NumberState } from './json-number.ts';
import type { JsonSink } from './partial-builder.ts';

/** Parser state: the part that is expected or being read. */
type Mode =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after'
  | 'string'
  | 'escape'
  | 'literal'
  | 'number'
  | 'whole';

/** Grammar characters as UTF-16 units: comparing numbers makes the parser fast. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Characters below must be escaped in a string. */
const FIRST_PRINTABLE = 0x20;
/** No text of this depth is parsed later: it would be too large, or too deep. */
const MAX_DEPTH = 1_000_000;
/** Result of a step for an invalid character. */
const STUCK = -1;

/** Characters after a backslash, and what they mean. */
export const ESCAPES: ReadonlyMap<string, string> = new Map(
  /* @__PURE__ */ Object.entries({
    '"': '"',
    '\\': '\\',
    '/': '/',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
  }),
);
/** What follows a backslash, or its beginning. */
const ESCAPE = /^(?:["\\/bfnrt]|u[\da-fA-F]{0,4})/u;
const HEX_ESCAPE_CHARS = 5;
const LITERALS: ReadonlyMap<string, readonly [text: string, value: boolean | null]> = new Map([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);

/** Parses one value. Notifies a sink, if given. */
export class JsonBodyReader {
  /** The open containers: true for an object. */
  readonly #open: boolean[] = [];
  #sink: JsonSink | undefined;
  #mode: Mode = 'value';
  #isKey = false;
  /** The literal, the number (with a sink) or the escape so far. */
  #token = '';
  #numberState: NumberState = 'minus';
  #isDead = false;

  constructor(sink: JsonSink | undefined) {
    this.#sink = sink;
  }

  /** True if the text is invalid JSON. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** True if the value is complete. A top-level number is complete and can still grow. */
  get isWhole(): boolean {
    if (this.#mode === 'whole') return true;
    return this.#mode === 'number' && this.#open.length === 0 && mayNumberEnd(this.#numberState);
  }

  get isInString(): boolean {
    return this.#mode === 'string' || this.#mode === 'escape';
  }

  /** Notifies the sink of a top-level number, which only the end of the text completes. */
  end(): void {
    if (this.#mode !== 'number' || !this.isWhole) return;
    this.#sink?.scalar(Number(this.#token));
    this.#mode = 'whole';
  }

  detach(): void {
    this.#sink = undefined;
  }

  /**
   * Continues at `from`. Returns the stop position: after the value, at an invalid character, or
   * `to`.
   */
  read(text: string, from: number, to: number): number {
    let at = from;
    while (at < to && this.#mode !== 'whole') {
      const next = this.#step(text, at, to);
      if (next === STUCK) {
        this.#isDead = true;
        return at;
      }
      at = next;
    }
    return at;
  }

  /** Reads one token or its available part. Returns its end, or `STUCK`. */
  #step(text: string, at: number, to: number): number {
    switch (this.#mode) {
      case 'string':
        return this.#readString(text, at, to);
      case 'number':
        return this.#readNumber(text, at, to);
      case 'escape':
        return this.#readEscape(text, at, to);
      case 'literal':
        return this.#readLiteral(text.charAt(at)) ? at + 1 : STUCK;
      default:
        return this.#readBetween(text, at, to);
    }
  }

  /** Reads white space and one character between tokens. */
  #readBetween(text: string, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) continue;
      if (this.#readMark(code)) return at + 1;
      return at > from ? at : STUCK;
    }
    return to;
  }

  #readMark(code: number): boolean {
    switch (this.#mode) {
      case 'first-item':
        return code === CLOSE_BRACKET ? this.#closeContainer() : this.#beginValue(code);
      case 'first-key':
        return code === CLOSE_BRACE ? this.#closeContainer() : code === QUOTE && this.#openString(true);
      case 'key':
        return code === QUOTE && this.#openString(true);
      case 'colon':
        if (code !== COLON) return false;
        this.#mode = 'value';
        return true;
      case 'after':
        return this.#readAfter(code);
      default:
        return this.#beginValue(code);
    }
  }

  #readAfter(code: number): boolean {
    const isInObject = this.#open.at(-1) === true;
    if (code === (isInObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.#closeContainer();
    if (code !== COMMA) return false;
    this.#mode = isInObject ? 'key' : 'value';
    return true;
  }

  #beginValue(code: number): boolean {
    if (code === QUOTE) return this.#openString(false);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) return this.#openContainer(code === OPEN_BRACE);
    this.#token = String.fromCharCode(code);
    const numberState = firstNumberState(code);
    if (numberState !== undefined) {
      this.#mode = 'number';
      this.#numberState = numberState;
      return true;
    }
    if (!LITERALS.has(this.#token)) return false;
    this.#mode = 'literal';
    return true;
  }

  #endValue(): true {
    this.#mode = this.#open.length === 0 ? 'whole' : 'after';
    return true;
  }

  #openContainer(isObject: boolean): boolean {
    if (this.#open.length === MAX_DEPTH) return false;
    this.#open.push(isObject);
    this.#sink?.beginContainer(isObject);
    this.#mode = isObject ? 'first-key' : 'first-item';
    return true;
  }

  #closeContainer(): true {
    this.#open.pop();
    this.#sink?.endContainer();
    return this.#endValue();
  }

  #openString(isKey: boolean): true {
    this.#isKey = isKey;
    this.#sink?.beginString(isKey);
    this.#mode = 'string';
    return true;
  }

  #readString(text: string, from: number, to: number): number {
    let at = from;
    let code = 0;
    while (at < to) {
      code = text.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH || code < FIRST_PRINTABLE) break;
      at += 1;
    }
    if (this.#sink !== undefined && at > from) this.#sink.stringPiece(text.slice(from, at));
    if (at === to) return at;
    if (code < FIRST_PRINTABLE) return at > from ? at : STUCK;
    if (code === BACKSLASH) [this.#mode, this.#token] = ['escape', ''];
    else this.#closeString();
    return at + 1;
  }

  #closeString(): void {
    this.#sink?.endString();
    if (this.#isKey) this.#mode = 'colon';
    else this.#endValue();
  }

  /** Reads the available characters of an escape at once. Returns the stop position. */
  #readEscape(text: string, from: number, to: number): number {
    const before = this.#token.length;
    const available = text.slice(from, Math.min(to, from + HEX_ESCAPE_CHARS - before));
    this.#token = ESCAPE.exec(this.#token + available)?.[0] ?? '';
    if (this.#token.length <= before) return STUCK;
    const digits = this.#token.length === HEX_ESCAPE_CHARS ? this.#token.slice(1) : undefined;
    const escaped =
      digits === undefined ? ESCAPES.get(this.#token) : String.fromCharCode(Number.parseInt(digits, 16));
    if (escaped !== undefined) {
      this.#sink?.stringPiece(escaped);
      this.#mode = 'string';
    }
    return from + this.#token.length - before;
  }

  #readLiteral(char: string): boolean {
    this.#token += char;
    const [text = '', value = null] = LITERALS.get(this.#token.charAt(0)) ?? [];
    if (this.#token !== text) return text.startsWith(this.#token);
    this.#sink?.scalar(value);
    return this.#endValue();
  }

  /** Continues a number. Another character ends it and is read again. */
  #readNumber(text: string, from: number, to: number): number {
    let at = from;
    let next: NumberState | undefined = this.#numberState;
    for (; at < to && next !== undefined; at += 1) {
      this.#numberState = next;
      next = nextNumberState(next, text.charCodeAt(at));
    }
    if (next !== undefined) this.#numberState = next;
    const stoppedAt = next === undefined ? at - 1 : to;
    if (this.#sink !== undefined) this.#token += text.slice(from, stoppedAt);
    if (next !== undefined) return to;
    if (!mayNumberEnd(this.#numberState)) return stoppedAt > from ? stoppedAt : STUCK;
    this.#sink?.scalar(Number(this.#token));
    this.#endValue();
    return stoppedAt;
  }
}
