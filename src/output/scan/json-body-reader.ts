/**
 * Owns reading one strict JSON value that arrives in pieces (RFC 8259), from its first character to the one after its last.
 *
 * Iterative and bounded: depth costs a byte, not a stack frame; a character costs constant work.
 */
import { createContainerStack } from './container-stack.ts';
import type { JsonSink } from './json-sink.ts';

/** Reads one value. */
export interface JsonBodyReader {
  /** Reads on from `from`; returns where it stopped: after the value, at the character that killed it, or at `to`. */
  read(text: string, from: number, to: number): number;
  /** True when the text is no JSON. */
  readonly isDead: boolean;
  /** True when the value is whole; a number at the top level is whole and may still grow. */
  readonly isWhole: boolean;
  readonly isInString: boolean;
}

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
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const LITERAL_VALUES: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** States of a number, by the class of the character that was read last; the second word says whether it may end there. */
type NumberState =
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits';
const MAY_END: ReadonlySet<NumberState> = new Set(['zero', 'digits', 'fraction', 'exponent-digits']);

/** Makes a reader of one value; `sink`, where given, is told what it reads. */
export function createJsonBodyReader(sink?: JsonSink): JsonBodyReader {
  const stack = createContainerStack();
  let mode: Mode = 'value';
  let isKey = false;
  let token = '';
  let literal = '';
  let numberState: NumberState = 'minus';
  let isDead = false;

  function endValue(): void {
    mode = stack.depth === 0 ? 'whole' : 'after';
  }
  function openContainer(isObject: boolean): void {
    stack.push(isObject);
    sink?.beginContainer(isObject);
    mode = isObject ? 'first-key' : 'first-item';
  }
  function closeContainer(): void {
    stack.pop();
    sink?.endContainer();
    endValue();
  }
  function openString(asKey: boolean): void {
    isKey = asKey;
    sink?.beginString(asKey);
    mode = 'string';
  }

  /** Reads the first character of a value. */
  function beginValue(char: string): boolean {
    if (char === '"') openString(false);
    else if (char === '{' || char === '[') openContainer(char === '{');
    else if (char === '-' || isDigit(char)) {
      mode = 'number';
      numberState = char === '-' ? 'minus' : char === '0' ? 'zero' : 'digits';
      token = char;
    } else {
      const found = LITERALS[char];
      if (found === undefined) return false;
      mode = 'literal';
      literal = found;
      token = char;
    }
    return true;
  }

  /** Reads one character between tokens; false when it cannot stand there. */
  function between(char: string): boolean {
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return true;
    switch (mode) {
      case 'value':
        return beginValue(char);
      case 'first-item':
        if (char !== ']') return beginValue(char);
        closeContainer();
        return true;
      case 'first-key':
      case 'key':
        if (char === '"') openString(true);
        else if (char === '}' && mode === 'first-key') closeContainer();
        else return false;
        return true;
      case 'colon':
        mode = 'value';
        return char === ':';
      case 'after':
        if (char === ',') mode = stack.isInObject() ? 'key' : 'value';
        else if (char === (stack.isInObject() ? '}' : ']')) closeContainer();
        else return false;
        return true;
      default:
        return false;
    }
  }

  /** Reads on in a string; returns where it stopped, or -1 where it cannot go on. */
  function readString(text: string, from: number, to: number): number {
    let at = from;
    let code = 0;
    while (at < to) {
      code = text.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH || code < 0x20) break;
      at += 1;
    }
    if (sink !== undefined && at > from) sink.stringPiece(text.slice(from, at));
    if (at === to) return at;
    if (code < 0x20) return at > from ? at : -1;
    if (code === BACKSLASH) mode = 'escape';
    else {
      sink?.endString();
      if (isKey) mode = 'colon';
      else endValue();
    }
    return at + 1;
  }

  function readEscape(char: string): boolean {
    if (char === 'u') {
      mode = 'hex';
      token = '';
      return true;
    }
    const escaped = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    if (escaped === undefined) return false;
    sink?.stringPiece(escaped);
    mode = 'string';
    return true;
  }

  function readHex(char: string): boolean {
    if (!isHexDigit(char)) return false;
    token += char;
    if (token.length === 4) {
      sink?.stringPiece(String.fromCharCode(Number.parseInt(token, 16)));
      mode = 'string';
    }
    return true;
  }

  function readLiteral(char: string): boolean {
    token += char;
    if (!literal.startsWith(token)) return false;
    if (token.length === literal.length) {
      sink?.scalar(LITERAL_VALUES[literal] ?? null);
      endValue();
    }
    return true;
  }

  /** Reads on in a number; a character that is none of its own ends it and is read again. */
  function readNumber(text: string, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const char = text.charAt(at);
      const next = nextNumberState(numberState, char);
      if (next === undefined) {
        if (!MAY_END.has(numberState)) return at > from ? at : -1;
        sink?.scalar(Number(token));
        endValue();
        return at;
      }
      numberState = next;
      if (sink !== undefined) token += char;
    }
    return to;
  }

  function step(text: string, at: number, to: number): number {
    switch (mode) {
      case 'string':
        return readString(text, at, to);
      case 'number':
        return readNumber(text, at, to);
      case 'escape':
        return readEscape(text.charAt(at)) ? at + 1 : -1;
      case 'hex':
        return readHex(text.charAt(at)) ? at + 1 : -1;
      case 'literal':
        return readLiteral(text.charAt(at)) ? at + 1 : -1;
      default:
        return between(text.charAt(at)) ? at + 1 : -1;
    }
  }

  return {
    read(text, from, to) {
      let at = from;
      while (at < to && mode !== 'whole' && !isDead) {
        const next = step(text, at, to);
        isDead = next === -1;
        if (!isDead) at = next;
      }
      return at;
    },
    get isDead() {
      return isDead;
    },
    get isWhole() {
      return mode === 'whole' || (mode === 'number' && stack.depth === 0 && MAY_END.has(numberState));
    },
    get isInString() {
      return mode === 'string' || mode === 'escape' || mode === 'hex';
    },
  };
}

function nextNumberState(state: NumberState, char: string): NumberState | undefined {
  const digit = isDigit(char);
  const isExponent = char === 'e' || char === 'E';
  switch (state) {
    case 'minus':
      return char === '0' ? 'zero' : digit ? 'digits' : undefined;
    case 'zero':
      return char === '.' ? 'point' : isExponent ? 'exponent' : undefined;
    case 'digits':
      return digit ? 'digits' : char === '.' ? 'point' : isExponent ? 'exponent' : undefined;
    case 'point':
    case 'fraction':
      return digit ? 'fraction' : state === 'fraction' && isExponent ? 'exponent' : undefined;
    case 'exponent':
      return digit ? 'exponent-digits' : char === '+' || char === '-' ? 'exponent-sign' : undefined;
    case 'exponent-sign':
    case 'exponent-digits':
      return digit ? 'exponent-digits' : undefined;
    default:
      return state satisfies never;
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isHexDigit(char: string): boolean {
  return isDigit(char) || (char >= 'a' && char <= 'f') || (char >= 'A' && char <= 'F');
}
