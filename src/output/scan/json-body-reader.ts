/**
 * Owns reading one strict JSON value that arrives in pieces (RFC 8259), from its first character to the one after its last.
 *
 * Iterative and bounded: depth costs a byte, not a stack frame; a character costs constant work.
 */
import { createContainerStack, type ContainerStack } from './container-stack.ts';
import { mayNumberEnd, nextNumberState, type NumberState } from './json-number.ts';
import type { JsonSink } from './json-sink.ts';

type Mode =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'number'
  | 'whole';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** What a step returns for a character that cannot stand where it does. */
const STUCK = -1;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const LITERALS: ReadonlyMap<string, { readonly text: string; readonly value: boolean | null }> = new Map([
  ['t', { text: 'true', value: true }],
  ['f', { text: 'false', value: false }],
  ['n', { text: 'null', value: null }],
]);

/** Reads one value; a sink, where given, is told what it reads. */
export class JsonBodyReader {
  readonly #sink: JsonSink | undefined;
  readonly #stack: ContainerStack = createContainerStack();
  #mode: Mode = 'value';
  #isKey = false;
  #token = '';
  #numberState: NumberState = 'minus';
  #isDead = false;

  constructor(sink: JsonSink | undefined) {
    this.#sink = sink;
  }

  /** True when the text is no JSON. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** True when the value is whole; a number at the top level is whole and may still grow. */
  get isWhole(): boolean {
    if (this.#mode === 'whole') return true;
    return this.#mode === 'number' && this.#stack.depth === 0 && mayNumberEnd(this.#numberState);
  }

  get isInString(): boolean {
    return this.#mode === 'string' || this.#mode === 'escape' || this.#mode === 'hex';
  }

  /** Reads on from `from`; returns where it stopped: after the value, at the character that killed it, or at `to`. */
  read(text: string, from: number, to: number): number {
    let at = from;
    while (at < to && this.#mode !== 'whole' && !this.#isDead) {
      const next = this.#step(text, at, to);
      if (next === STUCK) this.#isDead = true;
      else at = next;
    }
    return at;
  }

  #step(text: string, at: number, to: number): number {
    if (this.#mode === 'string') return this.#readString(text, at, to);
    if (this.#mode === 'number') return this.#readNumber(text, at, to);
    return this.#readCharacter(text.charAt(at)) ? at + 1 : STUCK;
  }

  #readCharacter(char: string): boolean {
    switch (this.#mode) {
      case 'escape':
        return this.#readEscape(char);
      case 'hex':
        return this.#readHex(char);
      case 'literal':
        return this.#readLiteral(char);
      default:
        return char === ' ' || char === '\n' || char === '\r' || char === '\t' || this.#readBetween(char);
    }
  }

  /** Reads one character between tokens. */
  #readBetween(char: string): boolean {
    switch (this.#mode) {
      case 'first-item':
        return char === ']' ? this.#closeContainer() : this.#beginValue(char);
      case 'first-key':
        return char === '}' ? this.#closeContainer() : char === '"' && this.#openString(true);
      case 'key':
        return char === '"' && this.#openString(true);
      case 'colon':
        this.#mode = 'value';
        return char === ':';
      case 'after':
        return this.#readAfter(char);
      default:
        return this.#beginValue(char);
    }
  }

  #readAfter(char: string): boolean {
    const isObject = this.#stack.isInObject();
    if (char === (isObject ? '}' : ']')) return this.#closeContainer();
    this.#mode = isObject ? 'key' : 'value';
    return char === ',';
  }

  #beginValue(char: string): boolean {
    if (char === '"') return this.#openString(false);
    if (char === '{' || char === '[') return this.#openContainer(char === '{');
    this.#token = char;
    if (LITERALS.has(char)) {
      this.#mode = 'literal';
      return true;
    }
    this.#mode = 'number';
    this.#numberState = char === '-' ? 'minus' : char === '0' ? 'zero' : 'digits';
    return char === '-' || (char >= '0' && char <= '9');
  }

  #endValue(): true {
    this.#mode = this.#stack.depth === 0 ? 'whole' : 'after';
    return true;
  }

  #openContainer(isObject: boolean): true {
    this.#stack.push(isObject);
    this.#sink?.beginContainer(isObject);
    this.#mode = isObject ? 'first-key' : 'first-item';
    return true;
  }

  #closeContainer(): true {
    this.#stack.pop();
    this.#sink?.endContainer();
    return this.#endValue();
  }

  #openString(isKey: boolean): true {
    this.#isKey = isKey;
    this.#sink?.beginString(isKey);
    this.#mode = 'string';
    return true;
  }

  /** Reads on in a string; returns where it stopped. */
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
    if (code === BACKSLASH) this.#mode = 'escape';
    else this.#closeString();
    return at + 1;
  }

  #closeString(): void {
    this.#sink?.endString();
    if (this.#isKey) this.#mode = 'colon';
    else this.#endValue();
  }

  #readEscape(char: string): boolean {
    if (char === 'u') {
      this.#mode = 'hex';
      this.#token = '';
      return true;
    }
    const escaped = ESCAPES.get(char);
    if (escaped === undefined) return false;
    this.#sink?.stringPiece(escaped);
    this.#mode = 'string';
    return true;
  }

  #readHex(char: string): boolean {
    if (!/[0-9a-f]/iu.test(char)) return false;
    this.#token += char;
    if (this.#token.length < 4) return true;
    this.#sink?.stringPiece(String.fromCharCode(Number.parseInt(this.#token, 16)));
    this.#mode = 'string';
    return true;
  }

  #readLiteral(char: string): boolean {
    this.#token += char;
    const literal = LITERALS.get(this.#token.charAt(0));
    if (literal === undefined || !literal.text.startsWith(this.#token)) return false;
    if (this.#token.length < literal.text.length) return true;
    this.#sink?.scalar(literal.value);
    return this.#endValue();
  }

  /** Reads on in a number; a character that is none of its own ends it and is read again. */
  #readNumber(text: string, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const char = text.charAt(at);
      const next = nextNumberState(this.#numberState, char);
      if (next === undefined) {
        if (!mayNumberEnd(this.#numberState)) return at > from ? at : STUCK;
        this.#sink?.scalar(Number(this.#token));
        this.#endValue();
        return at;
      }
      this.#numberState = next;
      if (this.#sink !== undefined) this.#token += char;
    }
    return to;
  }
}
