/** Body reader: a size limit, UTF-8, and one JSON object. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { encodedText, parseBytes, readBytes } from '../../body/json-body.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';

/** A body, or the reason for its rejection. */
export type WireBody =
  | { readonly success: true; readonly text: string; readonly value: Readonly<Record<string, unknown>> }
  | { readonly success: false; readonly failure: WireFailure };

/**
 * Depth limit: parts of a body are serialized again, for the provider and the caller, by recursive
 * code.
 */
const MAX_DEPTH = 256;
/** About 10,000 messages. The time to parse and convert a conversation grows with them. */
const MAX_VALUES = 50_000;

/** Reads the body of a request. Stops after `maxBytes`. */
export async function readWireBody(request: Request, maxBytes: number): Promise<WireBody> {
  const taken = await readBytes(request, { maxBytes, maxDepth: MAX_DEPTH, maxValues: MAX_VALUES });
  if (taken.type === 'cut-off') return fail('The body ended early. Send the request again.');
  if (taken.type === 'encoded') {
    const failure = refused('content-encoding', encodedText(taken.encoding), 'unsupported_media_type');
    return { success: false, failure: { ...failure, status: 415 } };
  }
  if (taken.type === 'too-large') return tooLarge(`${maxBytes} bytes`);
  if (taken.type === 'too-many-values') return tooLarge(`${MAX_VALUES} values and keys`);
  if (taken.type === 'too-deep') return fail(`The body must be at most ${MAX_DEPTH} levels deep.`);
  const body = parseBytes(taken.bytes);
  switch (body.type) {
    case 'json':
      return isRecord(body.value)
        ? { success: true, text: body.text, value: body.value }
        : fail('The body must be a JSON object.');
    case 'not-utf-8':
      return fail('The body must be UTF-8.');
    case 'not-json':
      return fail(`The body must be JSON: ${body.reason}`);
    default:
      return body satisfies never;
  }
}

function fail(message: string): WireBody {
  return { success: false, failure: refused(undefined, message, 'invalid_json') };
}

function tooLarge(limit: string): WireBody {
  const failure: WireFailure = {
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: `The body exceeds the limit of ${limit}. Send a smaller body.`,
  };
  return { success: false, failure };
}
