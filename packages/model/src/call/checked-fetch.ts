/**
 * Checked fetch: a bounded reply of a Chat Completions server, apart from a web page or an error that
 * a server sends with status 200, as for an address without `/v1`.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { createHeaderMask } from './model-mask.ts';
import { boundResponse } from './model-fetch.ts';
import { plainMembers } from '../chunks/odd-chunks.ts';
import { brokenOff } from './read-stream.ts';
import {
  asksForStream,
  toEventStream,
  withFinishReason,
  withTextArguments,
} from '../chunks/stream-repair.ts';

/**
 * Bounds a response, and returns it as the package reads it. Rejects with a ModelError if it is not a model's reply.
 */
export async function checkResponse(sent: Response, init: RequestInit | undefined): Promise<Response> {
  const response = await boundResponse(sent, init);
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.includes('event-stream') && response.body !== null) {
    return withFinishReason(response.body);
  }
  if (!response.ok || !/html|json/u.test(type)) return response;
  const text = await response.text().catch((error: unknown) => {
    init?.signal?.throwIfAborted();
    throw brokenOff(error);
  });
  const parsed = parseJson(text);
  const value = parsed.success && isRecord(parsed.value) ? plainMembers(parsed.value) : {};
  if (type.includes('html') || (value['error'] !== undefined && value['choices'] === undefined)) {
    throw foreignReply(createHeaderMask(init?.headers).mask(text), response.status);
  }
  if (Array.isArray(value['choices']) && value['choices'].length === 0) throw emptyReply();
  if (!Array.isArray(value['choices'])) return new Response(text, response);
  if (asksForStream(init?.body)) return toEventStream(value);
  return new Response(JSON.stringify(withTextArguments(value, 'message')), response);
}

function foreignReply(text: string, statusCode: number): ModelError {
  return new ModelError(
    `The address did not answer as a model's service, but with: ${cut(text.trim())} Check \`baseURL\`: it usually ends with \`/v1\`.`,
    { code: 'http', statusCode },
  );
}

function emptyReply(): ModelError {
  return new ModelError("The model's service sent a reply without an answer. Try again.", {
    code: 'stream',
  });
}
