/**
 * Streaming JSON parser that extracts a few small values from a text of any size. Pure, limited
 * memory, never throws.
 */

export interface JsonPicker {
  push(bytes: Uint8Array): void;
}

/** Called with the path of a value and its unchanged JSON. */
export type OnPicked = (path: string, json: string) => void;

interface Container {
  readonly isArray: boolean;
  /** The current key, or `*` in an array. */
  key: string;
}

/** A usage object of any service is below 1 KiB. */
const MAX_VALUE_BYTES = 8_192;
const MAX_KEY_BYTES = 64;
/** Maximum nesting. Answers of model services are never deeper. Deeper values are ignored. */
const MAX_DEPTH = 512;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\,:[]{}');
const SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

/**
 * Creates a parser for the values at `paths`: keys joined by dots, `*` for any array index. With
 * invalid JSON, the result is arbitrary, so the caller must validate extracted values.
 */
export function createJsonPicker(paths: ReadonlySet<string>, onPicked: OnPicked): JsonPicker {
  return new StreamingPicker(paths, onPicked);
}

class StreamingPicker implements JsonPicker {
  readonly #paths: ReadonlySet<string>;
  readonly #onPicked: OnPicked;
  readonly #maxPathDepth: number;
  readonly #containers: Container[] = [];
  #isInString = false;
  #isEscaped = false;
  #isKeyNext = false;
  #key: number[] | undefined;
  #picked: { readonly path: string; readonly depth: number; readonly bytes: number[] } | undefined;

  constructor(paths: ReadonlySet<string>, onPicked: OnPicked) {
    this.#paths = paths;
    this.#onPicked = onPicked;
    this.#maxPathDepth = Math.max(...[...paths].map((path) => path.split('.').length));
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#containers.length > MAX_DEPTH) return;
      if (this.#isInString) this.#takeInString(byte);
      else this.#takeStructure(byte);
      if (this.#picked !== undefined && this.#picked.bytes.length <= MAX_VALUE_BYTES) {
        this.#picked.bytes.push(byte);
      }
    }
  }

  #takeInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      const container = this.#containers.at(-1);
      if (this.#key !== undefined && container !== undefined) {
        container.key = Buffer.from(this.#key).toString('utf8');
      }
      this.#key = undefined;
      return;
    }
    if (this.#key !== undefined && this.#key.length < MAX_KEY_BYTES) this.#key.push(byte);
  }

  #takeStructure(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true;
      if (this.#isKeyNext) this.#key = [];
      else this.#beginValue();
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#beginValue();
      const isArray = byte === OPEN_ARRAY;
      this.#containers.push({ isArray, key: isArray ? '*' : '' });
      this.#isKeyNext = !isArray;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#endValue();
      this.#containers.pop();
      this.#isKeyNext = false;
    } else if (byte === COMMA) {
      this.#endValue();
      this.#isKeyNext = this.#containers.at(-1)?.isArray === false;
    } else if (byte === COLON) this.#isKeyNext = false;
    else if (!SPACE.has(byte)) this.#beginValue();
  }

  #beginValue(): void {
    const depth = this.#containers.length;
    if (this.#picked !== undefined || depth === 0 || depth > this.#maxPathDepth) return;
    const path = this.#containers.map((container) => container.key).join('.');
    if (this.#paths.has(path)) this.#picked = { path, depth, bytes: [] };
  }

  #endValue(): void {
    const picked = this.#picked;
    if (picked === undefined || this.#containers.length > picked.depth) return;
    this.#picked = undefined;
    if (picked.bytes.length <= MAX_VALUE_BYTES) {
      this.#onPicked(picked.path, Buffer.from(picked.bytes).toString('utf8'));
    }
  }
}
