/**
 * Position in a growing JSON text: the string, number or white space that it is in, and its open lists and
 * objects. It judges nothing, so that it can follow a wrong text. Pure.
 */
import { isVaried } from './block-kind.ts';

/** An open list or object. */
interface Level {
  readonly isList: boolean;
  /** Position of the bracket. */
  readonly at: number;
}

/** More levels than any reader of an answer accepts are not kept. */
const MAX_LEVELS = 2_048;
/** Characters of a value that are looked at. */
const MAX_KEPT = 256;

/** Follows a text from its beginning. */
export class JsonPosition {
  /** Characters so far. */
  at = 0;
  /** White space in a row, outside strings. */
  spaces = 0;
  digits = 0;
  /** Where the string began. Undefined outside strings. */
  stringFrom: number | undefined;
  /** Where the last value ended that says something. A key does not, and numbers of a list do not. */
  lastSaid: number = Number.NEGATIVE_INFINITY;
  /** True as soon as the text is no JSON, or goes on after its value. */
  isText = false;
  readonly #levels: Level[] = [];
  readonly #isKnown: (text: string) => boolean;
  /** Levels that are not kept. */
  #above = 0;
  #hasBegun = false;
  #isEscaped = false;
  #isKey = false;
  #expectsKey = false;
  #string = '';
  #number = '';

  readonly #isAsked: boolean;
  #opening = '';

  /**
   * @param isKnown - whether the schema itself contains this string
   * @param isAsked - true if JSON was asked for. Else only a text that begins as an object is JSON.
   */
  constructor(isKnown: (text: string) => boolean, isAsked: boolean) {
    this.#isKnown = isKnown;
    this.#isAsked = isAsked;
  }

  /** Open lists and objects. */
  get depth(): number {
    return this.#levels.length + this.#above;
  }

  /** Follows one more character. */
  take(sign: string): void {
    this.at += 1;
    if (this.isText) return;
    if (this.stringFrom !== undefined) {
      this.#inString(sign);
      return;
    }
    const isSpace = sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r';
    this.spaces = isSpace ? this.spaces + 1 : 0;
    this.#inNumber(sign);
    if (!isSpace) this.#outside(sign);
  }

  #inNumber(sign: string): void {
    if (sign >= '0' && sign <= '9') {
      this.digits += 1;
      if (this.digits <= MAX_KEPT) this.#number += sign;
    } else if (this.digits > 0 && !'+-.eE'.includes(sign)) {
      if (this.#levels.at(-1)?.isList !== true && isVaried(this.#number)) this.lastSaid = this.at;
      this.digits = 0;
      this.#number = '';
    }
  }

  #inString(sign: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (sign === '\\') this.#isEscaped = true;
    else if (sign === '"') {
      this.stringFrom = undefined;
      if (!this.#isKey && this.#says(this.#string)) this.lastSaid = this.at;
      return;
    }
    if (this.#string.length < MAX_KEPT) this.#string += sign;
  }

  #says(text: string): boolean {
    return (/\p{L}/u.test(text) || isVaried(text)) && !this.#isKnown(text);
  }

  #outside(sign: string): void {
    if (this.#opening.length < 2) {
      this.#opening += sign;
      if (!this.#isAsked && !'{"'.startsWith(this.#opening)) this.isText = true;
    }
    // An answer is an object, a list, or words in quotes.
    if (this.depth === 0 && (this.#hasBegun || !'{["'.includes(sign))) {
      this.isText ||= !isScalar(sign, this.#hasBegun);
    }
    this.#hasBegun = true;
    switch (sign) {
      case '"':
        this.stringFrom = this.at;
        this.#isKey = this.#expectsKey;
        this.#string = '';
        break;
      case '{':
      case '[':
        if (this.depth < MAX_LEVELS) this.#levels.push({ isList: sign === '[', at: this.at });
        else this.#above += 1;
        this.#expectsKey = sign === '{';
        break;
      case '}':
      case ']':
        if (this.#above > 0) this.#above -= 1;
        else this.#levels.pop();
        this.#expectsKey = false;
        break;
      case ',':
        this.#expectsKey = this.#levels.at(-1)?.isList === false;
        break;
      case ':':
        this.#expectsKey = false;
        break;
      default:
        break;
    }
  }

  /**
   * Returns true if the items of one list are repeated from a position on, and false for members of an
   * object and levels of nesting.
   */
  repeatsItems(from: number, period: number): boolean {
    const within = this.#levels.filter(({ at }) => at > from + period).length + this.#above;
    const isNested = within * period * 2 > this.at - from;
    return !isNested && this.#levels.findLast(({ at }) => at <= from + period)?.isList === true;
  }
}

/** A number goes on. Anything else after a value is text. */
function isScalar(sign: string, hasBegun: boolean): boolean {
  return /[\d.eE+-]/u.test(sign) || (!hasBegun && /[tfn]/u.test(sign));
}
