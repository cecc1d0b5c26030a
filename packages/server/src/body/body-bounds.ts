/**
 * Structure limits of a JSON body, counted while its bytes arrive. No parser reads a body that
 * exceeds them. Pure.
 */

/** Limits of a body's structure. */
export interface JsonLimits {
  /** Maximum nesting of containers. */
  readonly maxDepth: number;
  /** Approximate maximum of values and keys, which determine the time to parse and check a body. */
  readonly maxValues: number;
}

/** The limit that a body exceeds. */
export type ExceededLimit = 'too-deep' | 'too-many-values';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts the structure of JSON bytes. Bytes that are not JSON are counted too, and rejected later.
 */
export class BodyBounds {
  readonly #limits: JsonLimits;
  #depth = 0;
  #values = 1;
  #isInString = false;
  #isEscaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Counts a chunk. Returns the exceeded limit, if any. */
  push(chunk: Uint8Array): ExceededLimit | undefined {
    const { maxDepth, maxValues } = this.#limits;
    // Local variables, because fields would take ten times as long.
    let [depth, values, isInString, isEscaped] = [
      this.#depth,
      this.#values,
      this.#isInString,
      this.#isEscaped,
    ];
    // A loop by index, because an iterator would take four times as long.
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA || byte === COLON) values += 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        values += 1;
        if (depth > maxDepth) return 'too-deep';
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    }
    [this.#depth, this.#values, this.#isInString, this.#isEscaped] = [depth, values, isInString, isEscaped];
    return values > maxValues ? 'too-many-values' : undefined;
  }
}
