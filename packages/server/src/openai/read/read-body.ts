/** Body reader: a size limit, UTF-8, and one JSON object. */
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { walkJson } from '@truecast/core/internal/schema/json-text/walk-json';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { refused, type WireFailure } from '../wire/wire-failure.ts';

/** A body, or why it was rejected. */
export type WireBody =
  | { readonly success: true; readonly text: string; readonly value: Readonly<Record<string, unknown>> }
  | { readonly success: false; readonly failure: WireFailure };

/** Reads the body of a request. Stops after `maxBytes`. */
export async function readWireBody(request: Request, maxBytes: number): Promise<WireBody> {
  const bytes = await takeBytes(request, maxBytes).catch(() => 'cut off' as const);
  if (bytes === 'cut off') return fail('The body ended early. Send the request again.');
  if (bytes === undefined) return { success: false, failure: tooLarge(maxBytes) };
  const text = decode(bytes);
  if (text === undefined) return fail('The body must be UTF-8.');
  const parsed = parseJson(text);
  if (!parsed.success) return fail(`The body must be JSON: ${parsed.reason}`);
  if (isTooDeep(text)) return fail(`The body must be at most ${MAX_DEPTH} levels deep.`);
  return isRecord(parsed.value)
    ? { success: true, text, value: parsed.value }
    : fail('The body must be a JSON object.');
}

/**
 * Depth limit: parts of a body are serialized again, for the provider and the caller, by recursive
 * code.
 */
const MAX_DEPTH = 256;

function isTooDeep(text: string): boolean {
  const problem = walkJson(text, {
    value: (_start, depth) => (depth > MAX_DEPTH ? 'too deep' : undefined),
    key: () => undefined,
    string: () => undefined,
    ended: () => undefined,
  });
  return problem !== undefined;
}

async function takeBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function fail(message: string): WireBody {
  return { success: false, failure: refused(undefined, message, 'invalid_json') };
}

function tooLarge(maxBytes: number): WireFailure {
  return {
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: `The body exceeds the limit of ${maxBytes} bytes. Send a smaller body.`,
  };
}
