/**
 * Fetch for MCP servers. The SDK reads a response without a limit, also after its caller has given up.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { createBoundedFetch } from '@truecast/model/internal/call/bounded-fetch';

/** As in the SDK's transport over stdio. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Creates a fetch whose POST requests end after `maxPostMs`. Streams of a GET have no end. */
export function createMcpFetch(maxPostMs: number): typeof fetch {
  return createBoundedFetch({
    maxBytes: MAX_MESSAGE_BYTES,
    maxEventBytes: MAX_MESSAGE_BYTES,
    maxPostMs,
    tooLarge: (maxBytes) => new RangeError(`A message has more than ${maxBytes} bytes.`),
    redirected: ({ statusCode, from, to }) =>
      new UsageError(
        `Expected the MCP server at ${from} to answer, got a redirect (${statusCode}) to ${to}. It was not followed: the headers are only for the address that you set. If you trust ${to}, set it as \`url\`.`,
      ),
  });
}
