/** `Idempotency-Key` handling: a repeated request gets the first response and changes nothing. */
import { createHash } from 'node:crypto';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { Idempotency, StoredResponse } from '../state/rows/idempotency.ts';
import type { Call, JsonAnswer } from './route.ts';

const KEY = /^[\u0021-\u007E]{1,255}$/u;

/** Makes the change and builds the response from its result. */
export interface IdempotentWork<T> {
  readonly change: (stored: { readonly idempotency?: Idempotency<T> }) => Promise<T>;
  readonly answer: (result: T) => JsonAnswer;
}

/**
 * Handles a request once per key, or every time without a key. Refusals of `prepare` apply to new
 * requests only. A repeated request was valid the first time, whatever has changed since.
 *
 * @throws ChatStateError `idempotency-mismatch` if the key was used with another body
 */
export async function answerOnce<T>(
  call: Call<unknown, unknown>,
  prepare: () => Promise<IdempotentWork<T>>,
): Promise<JsonAnswer | Response> {
  const key = readKey(call);
  if (key === undefined) {
    const { change, answer } = await prepare();
    return answer(await change({}));
  }
  const bodyHash = createHash('sha256').update(call.body.bytes).digest('hex');
  const kept = { owner: call.owner, route: call.target, key, bodyHash };
  const stored = await call.parts.machine.readStoredResponse(kept);
  if (stored !== undefined) return replay(stored);
  try {
    const { change, answer } = await prepare();
    const respond = (result: T): StoredResponse => toStored(answer(result));
    return answer(await change({ idempotency: { route: call.target, key, bodyHash, respond } }));
  } catch (error) {
    if (!ChatStateError.isInstance(error) && !RequestRefusedError.isInstance(error)) throw error;
    // A concurrent identical request can commit first. Its response is then used for this request
    // too.
    const raced = await call.parts.machine.readStoredResponse(kept);
    if (raced === undefined) throw error;
    return replay(raced);
  }
}

function readKey({ headers }: Call<unknown, unknown>): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null || KEY.test(key)) return key ?? undefined;
  const detail = 'Must be 1 to 255 visible ASCII characters. Send a random UUID.';
  throw new RequestRefusedError(`\`Idempotency-Key\`: ${detail}`, {
    code: 'invalid-parameter',
    problems: [{ field: 'Idempotency-Key', detail }],
  });
}

function toStored({ status, body }: JsonAnswer): StoredResponse {
  return { status, body: JSON.stringify(body) };
}

function replay({ status, body }: StoredResponse): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'idempotency-replayed': 'true' },
  });
}
