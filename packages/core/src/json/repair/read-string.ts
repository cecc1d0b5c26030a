/** Tolerant parser for one JSON string: strict if possible, else with labelled repairs. Pure. */
import { ESCAPES } from '../scan/json-body-reader.ts';

/** One kind of repair. Each has only one reading (ADR 0003). Reported once, however often it was applied. */
export type SyntaxRepair =
  | 'bare-key'
  | 'comment'
  | 'cut-off'
  | 'escape'
  | 'inner-quotes'
  | 'missing-comma'
  | 'python-literal'
  | 'quotes'
  | 'raw-newline'
  | 'trailing-comma';

/** Parse result from an opening quote. */
export interface StringReading {
  /** `cut` if the text ended inside; `failed` if it is ambiguous. */
  readonly status: 'complete' | 'cut' | 'failed';
  readonly value: string;
  /** Position after the closing quote, or where parsing stopped. */
  readonly end: number;
  readonly repairs: readonly SyntaxRepair[];
}

/** Closing quotes for each opening quote. */
const CLOSERS: ReadonlyMap<string, string> = new Map(
  /* @__PURE__ */ Object.entries({ '"': '"', "'": "'", '`': '`', '“': '”“', '”': '”', '„': '“”', '‘': '’‘' }),
);

/**
 * Markdown signs and other quotes are often escaped although JSON has no such escape. Any other
 * invalid escape lacks a part.
 */
const NEEDLESSLY_ESCAPED = `'*_\`#-.!()[]<>$&~|+`;

/** What can follow a string value: the end of the container, or a comma and the next element. */
const AFTER_VALUE =
  /\s*(?:$|[}\]]|,\s*(?:$|["'`“”„‘}\]{[]|\/\/|-?\d|true\b|false\b|null\b|[A-Za-z_]\w{0,40}\s*:)|\/\/)/y;
/** A missing comma between two lines. */
const NEXT_LINE_IS_FIELD = /[^\S\n]*\n\s*["'`“”„‘]/y;
/** The text can also end after a key. */
const AFTER_KEY = /\s*(?::|$)/y;
/** A quote that belongs to another string: a key, or one to be joined with this one. */
const ANOTHER_STRING = /\s*:|\s+["'“”]|\s*\+\s*["']/y;

/** Returns true if a string can begin with this character. */
export function opensString(char: string): boolean {
  return CLOSERS.has(char);
}

/** Role of a string: a key, text that can contain quotes, or another value. */
export type StringRole = 'key' | 'words' | 'value';

/**
 * Parses the string whose opening quote is at `start`. Only text can contain unescaped quotes, and
 * only in pairs.
 */
export function readString(text: string, start: number, role: StringRole): StringReading {
  return new StringReader(text, start, role).read();
}

class StringReader {
  readonly #text: string;
  readonly #role: StringRole;
  readonly #opener: string;
  readonly #closers: string;
  readonly #repairs = new Set<SyntaxRepair>();
  #value = '';
  /** Quotes in the value, without inch marks and apostrophes. */
  #quotes = 0;
  #at: number;

  constructor(text: string, start: number, role: StringRole) {
    this.#text = text;
    this.#role = role;
    this.#opener = text.charAt(start);
    this.#closers = CLOSERS.get(this.#opener) ?? '"';
    this.#at = start + 1;
    if (this.#opener !== '"') this.#repairs.add('quotes');
  }

  read(): StringReading {
    // Three quotes open a string in another language.
    if (this.#text.startsWith(this.#opener.repeat(2), this.#at)) return this.#end('failed');
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      const isDone = char === '\\' ? this.#readEscape() : this.#readCharacter(char);
      if (isDone !== undefined) return this.#end(isDone);
    }
    return this.#end(this.#isCertainWhenCut() ? 'cut' : 'failed');
  }

  /** A missing quote looks like truncated text, which then contains what followed it. */
  #isCertainWhenCut(): boolean {
    if (this.#role === 'key') return /^[\w .-]*$/u.test(this.#value);
    return (
      !this.#repairs.has('inner-quotes') && !this.#repairs.has('raw-newline') && !this.#value.includes('}')
    );
  }

  #readCharacter(char: string): StringReading['status'] | undefined {
    if (this.#closers.includes(char)) {
      if (this.#closesAt(this.#at + 1)) {
        this.#at += 1;
        return this.#repairs.has('inner-quotes') && this.#quotes % 2 === 1 ? 'failed' : 'complete';
      }
      // The end of this string could only be guessed.
      const isDoubtful = this.#value.endsWith('\\') || matchesAt(ANOTHER_STRING, this.#text, this.#at + 1);
      if (this.#role !== 'words' || isDoubtful) return 'failed';
      this.#repairs.add('inner-quotes');
      if (!this.#isPartOfWord(char)) this.#quotes += 1;
    } else if (char < ' ') {
      if (this.#role === 'key') return 'failed';
      this.#repairs.add('raw-newline');
    }
    this.#value += char;
    this.#at += 1;
    return undefined;
  }

  /** Returns true for an inch mark (`5" tall`) or an apostrophe (`it's`). */
  #isPartOfWord(char: string): boolean {
    const before = this.#text.charAt(this.#at - 1);
    if (char === '"') return /\d/u.test(before);
    return /[\p{L}\d]/u.test(before) && /\p{L}/u.test(this.#text.charAt(this.#at + 1));
  }

  #closesAt(after: number): boolean {
    if (this.#role === 'key') return matchesAt(AFTER_KEY, this.#text, after);
    return matchesAt(AFTER_VALUE, this.#text, after) || matchesAt(NEXT_LINE_IS_FIELD, this.#text, after);
  }

  #readEscape(): StringReading['status'] | undefined {
    const next = this.#text.charAt(this.#at + 1);
    if (next === '') {
      this.#at += 1;
      return undefined;
    }
    if (next === 'u' || next === 'x') return this.#readHexEscape(next);
    const known = ESCAPES.get(next);
    if (known === undefined && !NEEDLESSLY_ESCAPED.includes(next)) return 'failed';
    if (known === undefined) this.#repairs.add('escape');
    if (this.#closers.includes(known ?? next)) this.#quotes += 1;
    this.#value += known ?? next;
    this.#at += 2;
    return undefined;
  }

  /** Reads `\u0061`, or JavaScript's `\x61`, which JSON does not have. A text can end inside. */
  #readHexEscape(kind: 'u' | 'x'): 'failed' | undefined {
    const from = this.#at + 2;
    const length = kind === 'u' ? 4 : 2;
    const digits = this.#text.slice(from, from + length);
    if (!/^[\da-f]*$/iu.test(digits)) return 'failed';
    if (digits.length === length) this.#value += String.fromCharCode(Number.parseInt(digits, 16));
    if (kind === 'x') this.#repairs.add('escape');
    this.#at = from + digits.length;
    return undefined;
  }

  #end(status: StringReading['status']): StringReading {
    return { status, value: this.#value, end: this.#at, repairs: [...this.#repairs] };
  }
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
