/** Fetch for model services: bounded replies, and keys and prompts only for the address of the model. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { createOriginFetch, limitBody, withBody, type FetchBounds } from './bounded-fetch.ts';
import { createHeaderMask } from './model-mask.ts';

const MIB: number = 1024 * 1024;
/**
 * Maximum decompressed bytes of a reply. A streamed token takes about 300 bytes, so this is more than
 * 200,000 tokens.
 */
export const MAX_REPLY_BYTES: number = 64 * MIB;
const MAX_EVENT_BYTES: number = 16 * MIB;
const MAX_REFUSAL_BYTES: number = MIB / 4;

/**
 * `fetch` for a provider of the AI SDK, as `createAnthropic({ fetch: boundedFetch })`. A reply that is
 * too large, and a redirect to another origin, reject with a `ModelError`. Keys in a refusal are masked.
 *
 * `openAICompatible()` uses it.
 *
 * @example
 * ```ts
 * const reply = await boundedFetch('http://localhost:11434/v1/models');
 * console.log(reply.status);
 * ```
 */
export const boundedFetch: typeof fetch = async (input, init) =>
  boundResponse(await sendToModel(input, init), init);

/** Returns a response of `sendToModel()` with a bounded body, and without keys in a refusal. */
export function boundResponse(
  response: Response,
  init: RequestInit | undefined,
): Response | Promise<Response> {
  const bounded = limitBody(response, BOUNDS);
  return bounded.ok || bounded.body === null
    ? bounded
    : maskedRefusal(bounded, createHeaderMask(init?.headers));
}

const BOUNDS: FetchBounds = {
  maxBytes: MAX_REPLY_BYTES,
  maxStreamBytes: MAX_REPLY_BYTES,
  maxEventBytes: MAX_EVENT_BYTES,
  maxRefusalBytes: MAX_REFUSAL_BYTES,
  tooLarge: replyTooLarge,
  redirected: ({ statusCode, from, to }) =>
    new ModelError(
      from === to
        ? `Expected the model's service at ${from} to answer, got one redirect after another (${statusCode}), or one that changes the request. Set the address to which it leads.`
        : `Expected the model's service at ${from} to answer, got a redirect (${statusCode}) to ${to}. It was not followed: the key and the prompt are only for the address that you set. If you trust ${to}, set it as the address.`,
      { code: 'redirect', statusCode },
    ),
};

/** As `boundedFetch()`, for a reader that itself bounds what it reads, or calls `boundResponse()`. */
export const sendToModel: typeof fetch = createOriginFetch(BOUNDS);

/** As `boundedFetch()`, for replies of at most `maxBytes`. */
export function smallFetch(maxBytes: number): typeof fetch {
  const bounds = { ...BOUNDS, maxBytes, maxStreamBytes: maxBytes, maxEventBytes: maxBytes };
  return async (input, init) => boundResponse(limitBody(await sendToModel(input, init), bounds), init);
}

/** A service can repeat the headers that it got. Its refusal becomes a message for people. */
async function maskedRefusal(response: Response, { mask }: SecretMask): Promise<Response> {
  return withBody(response, mask(await response.text()), mask);
}

/** The error of a reply above a limit. */
export function replyTooLarge(maxBytes: number): ModelError {
  return new ModelError(
    `Expected a reply of at most ${maxBytes} bytes from the model's service, got more. The rest was not read. Lower \`maxOutputTokens\`, or check the service.`,
    { code: 'too-large' },
  );
}
