/**
 * Gram filter: finds the few positions of a text where a needle can begin, by the first characters
 * of all needles. Two characters cost one look-up, as in the search of Wu and Manber (1994).
 */

/** No needle is shorter. Shorter ones would begin everywhere. */
export const MIN_NEEDLE_CHARS = 3;
/** Characters that the filter looks at. Needles of three characters go on with anything. */
const SEEN_CHARS = 4;
const GRAM_BITS = 15;
const ENCODER = new TextEncoder();
/** A scanner skips a line break after the third character of a value. */
const LINE_BREAKS = [10, 13];
/** Two bytes, and the number that they are in the memory of this machine. */
const TWO_BYTES = new Uint8Array(2);
const AS_PAIR = new Uint16Array(TWO_BYTES.buffer);

/** A filter. It compares low bytes, so it leaves out no position where a needle begins. */
export class GramFilter {
  /** By the bytes of two characters, as they lie in memory. */
  readonly #pairs = new Uint8Array(0x1_00_00);
  readonly #grams = new Uint8Array(1 << GRAM_BITS);
  /** Keys of needles with three characters. */
  readonly #shortGrams = new Uint8Array(1 << GRAM_BITS);
  #bytes = new Uint8Array(0);
  /** The same memory, two bytes at a time. */
  #pairsOfBytes = new Uint16Array(0);

  constructor(needles: Iterable<string>) {
    for (const needle of needles) {
      if (needle.length < MIN_NEEDLE_CHARS) {
        throw new RangeError(`A needle has at least ${MIN_NEEDLE_CHARS} characters.`);
      }
      const [first, second, third] = [lowByte(needle, 0), lowByte(needle, 1), lowByte(needle, 2)];
      this.#markPair(first, second);
      this.#markPair(second, third);
      const begin = (first << 16) | (second << 8) | third;
      if (needle.length < SEEN_CHARS) this.#shortGrams[keyOf(begin)] = 1;
      else this.#markGrams(begin, lowByte(needle, SEEN_CHARS - 1));
    }
  }

  /** Returns the positions where a needle can begin, in ascending order, and after them the last ones. */
  starts(text: string): readonly number[] {
    const bytes = this.#read(text);
    const pairs = this.#pairsOfBytes;
    const last = text.length >> 1;
    const end = Math.max(0, text.length - SEEN_CHARS + 1);
    const found: number[] = [];
    for (let at = this.#nextPair(pairs, 0, last); at <= end; at = this.#nextPair(pairs, at + 2, last)) {
      if (at > 0 && this.#begins(bytes, at - 1)) found.push(at - 1);
      if (at < end && this.#begins(bytes, at)) found.push(at);
    }
    found.push(end);
    return found;
  }

  /** Next even position whose two characters occur at the beginning of a needle. */
  #nextPair(pairs: Uint16Array, from: number, last: number): number {
    const table = this.#pairs;
    let index = from >> 1;
    while (index < last && table[pairs[index] ?? 0] === 0) index += 1;
    return index << 1;
  }

  #begins(bytes: Uint8Array, at: number): boolean {
    const begin = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    return (
      this.#grams[keyOf((begin << 8) | (bytes[at + 3] ?? 0))] === 1 || this.#shortGrams[keyOf(begin)] === 1
    );
  }

  #markGrams(begin: number, fourth: number): void {
    for (const last of [fourth, ...LINE_BREAKS]) this.#grams[keyOf((begin << 8) | last)] = 1;
  }

  #markPair(first: number, second: number): void {
    TWO_BYTES[0] = first;
    TWO_BYTES[1] = second;
    this.#pairs[AS_PAIR[0] ?? 0] = 1;
  }

  /** Low bytes of a text, in a buffer that is used again. */
  #read(text: string): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length < text.length) {
      this.#bytes = new Uint8Array(text.length + (text.length & 1));
      this.#pairsOfBytes = new Uint16Array(this.#bytes.buffer);
    }
    const bytes = this.#bytes;
    // Most texts are ASCII, whose bytes are copied at once.
    const { read, written } = ENCODER.encodeInto(text, bytes);
    if (read !== text.length || written !== text.length) {
      for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    }
    return bytes;
  }
}

function lowByte(text: string, at: number): number {
  return text.charCodeAt(at) & 0xff;
}

function keyOf(gram: number): number {
  return Math.imul(gram, 0x9e_37_79_b1) >>> (32 - GRAM_BITS);
}
