/** Body reader of all HTTP APIs: a size limit, UTF-8, JSON, and a depth limit. */
import { walkJson } from '@truecast/core/internal/schema/json-text/walk-json';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';

/**
 * An oversized body is read up to here beyond its limit, and dropped. With unread data the connection
 * would be cut during the client's next request.
 */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;

/** The bytes of a body, or the reason for rejecting it. */
export type BodyBytes =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'too-large' }
  | { readonly type: 'cut-off'; readonly cause: unknown };

/** Reads the body of `request`. An absent one is empty. */
export async function readBytes(request: Request, maxBytes: number): Promise<BodyBytes> {
  const maxReadBytes = maxBytes + MAX_DRAINED_BYTES;
  if (Number(request.headers.get('content-length') ?? 0) > maxReadBytes) return { type: 'too-large' };
  const body: AsyncIterable<Uint8Array> | null = request.body;
  if (body === null) return { type: 'bytes', bytes: new Uint8Array() };
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxReadBytes) break;
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch (cause) {
    return { type: 'cut-off', cause };
  }
  return length > maxBytes ? { type: 'too-large' } : { type: 'bytes', bytes: Buffer.concat(chunks) };
}

/** A JSON text with its value, or the reason for rejecting the bytes. */
export type JsonBody =
  | { readonly type: 'json'; readonly text: string; readonly value: unknown }
  | { readonly type: 'not-utf-8'; readonly cause: unknown }
  | { readonly type: 'not-json'; readonly reason: string; readonly cause: unknown }
  | { readonly type: 'too-deep' };

/** Parses the bytes. The depth is checked before any recursive code reads the value. */
export function parseBytes(bytes: Uint8Array, maxDepth: number): JsonBody {
  let text: string;
  try {
    // A byte order mark is not JSON. It is kept, so that it is rejected.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return { type: 'not-utf-8', cause };
  }
  const parsed = parseJson(text);
  if (!parsed.success) return { type: 'not-json', reason: parsed.reason, cause: parsed.cause };
  return isDeeper(text, maxDepth) ? { type: 'too-deep' } : { type: 'json', text, value: parsed.value };
}

function isDeeper(text: string, maxDepth: number): boolean {
  const problem = walkJson(text, {
    value: (_start, depth) => (depth > maxDepth ? 'deep' : undefined),
    key: () => undefined,
    string: () => undefined,
    ended: () => undefined,
  });
  return problem !== undefined;
}
