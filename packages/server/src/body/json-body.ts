/** Body reader of all HTTP APIs: a size limit, UTF-8, JSON, and a depth limit. */
import { parseJson } from '@truecast/core/internal/json/parse-json';

/**
 * Up to this many bytes beyond the limit are read and dropped. With unread data, the connection
 * would be closed during the client's next request.
 */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;

/** Size and structure of an accepted body. */
export interface BodyLimits extends JsonLimits {
  readonly maxBytes: number;
}

/** Text of a refused `content-encoding`. */
export function encodedText(encoding: string): string {
  return `The body has the \`content-encoding\` \`${encoding.slice(0, 40)}\`. Send it without one, as JSON in UTF-8.`;
}

/** The bytes of a body, or the reason for rejecting it. */
export type BodyBytes =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'too-large' }
  | { readonly type: 'too-deep' }
  | { readonly type: 'too-many-values' }
  | { readonly type: 'encoded'; readonly encoding: string }
  | { readonly type: 'cut-off'; readonly cause: unknown };

/**
 * Reads the body of `request`. An absent body is empty. The structure is counted with each chunk,
 * so that parsing an oversized body never blocks the event loop.
 */
export async function readBytes(request: Request, limits: BodyLimits): Promise<BodyBytes> {
  const encoding = request.headers.get('content-encoding')?.trim() ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') return { type: 'encoded', encoding };
  const maxReadBytes = limits.maxBytes + MAX_DRAINED_BYTES;
  if (Number(request.headers.get('content-length') ?? 0) > maxReadBytes) return { type: 'too-large' };
  const body: AsyncIterable<Uint8Array> | null = request.body;
  if (body === null) return { type: 'bytes', bytes: new Uint8Array() };
  const bounds = new BodyBounds(limits);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let refusal: 'too-large' | ExceededLimit | undefined;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxReadBytes) break;
      refusal ??= length > limits.maxBytes ? 'too-large' : bounds.push(chunk);
      if (refusal === undefined) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch (cause) {
    return { type: 'cut-off', cause };
  }
  return refusal === undefined ? { type: 'bytes', bytes: Buffer.concat(chunks) } : { type: refusal };
}

/** A JSON text with its value, or the reason for rejecting the bytes. */
export type JsonBody =
  | { readonly type: 'json'; readonly text: string; readonly value: unknown }
  | { readonly type: 'not-utf-8'; readonly cause: unknown }
  | { readonly type: 'not-json'; readonly reason: string; readonly cause: unknown };

export function parseBytes(bytes: Uint8Array): JsonBody {
  let text: string;
  try {
    // Keeps a byte order mark, so that the JSON parser rejects it.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return { type: 'not-utf-8', cause };
  }
  const parsed = parseJson(text);
  if (!parsed.success) return { type: 'not-json', reason: parsed.reason, cause: parsed.cause };
  return { type: 'json', text, value: parsed.value };
}

interface JsonLimits {
  /** Maximum nesting of containers. */
  readonly maxDepth: number;
  /** Approximate maximum of values and keys, which determine the time to parse and check a body. */
  readonly maxValues: number;
}

type ExceededLimit = 'too-deep' | 'too-many-values';

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
class BodyBounds {
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
