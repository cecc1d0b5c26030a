/** Connection of shell commands to a server: its URL and token from flags, environment or note. */
import { createClient, type Client, type ClientOptions } from '@truecast/client/internal/create-client';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { proxiedFetch } from '@truecast/host/internal/proxy/proxied-fetch';
import { readServerNote } from './server-file.ts';

/** Flags that select the server. */
export interface ConnectFlags {
  readonly url?: string;
  readonly token?: string;
}

const PROBE_TIMEOUT_MS = 3_000;

/** Returns a client of the server that `selectServer` finds. */
export async function connectServer(flags: ConnectFlags): Promise<Client> {
  return createClient(await selectServer(flags));
}

/**
 * Returns the server that the flags, the environment, or the note of the current folder name, and
 * the token for it.
 */
export async function selectServer(flags: ConnectFlags): Promise<ClientOptions> {
  const note = await readServerNote();
  const url = flags.url ?? process.env['TRUECAST_URL'] ?? note?.url;
  // The token in the note is sent only to the server in the note.
  const noted = url === note?.url ? note?.token : undefined;
  const token = flags.token ?? process.env['TRUECAST_TOKEN'] ?? noted;
  if (url === undefined) {
    throw new UsageError(
      'No server is running for this folder. Start one with `truecast serve`, or pass `--url` or TRUECAST_URL.',
    );
  }
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
    throw new UsageError(
      `Expected \`--url\` to be the URL of a server, such as http://127.0.0.1:4747, got \`${url}\`.`,
    );
  }
  if (token === undefined) {
    await assertReachable(url);
    throw new UsageError(
      `The server at ${url} needs an access token. Create one with \`truecast token create\`, and set TRUECAST_TOKEN to it.`,
    );
  }
  return { baseURL: url, token, fetch: proxiedFetch };
}

/** A token does not help where no server listens. */
async function assertReachable(url: string): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    await (await proxiedFetch(url, { signal })).body?.cancel();
  } catch (cause) {
    throw new ServerError(
      `The server at ${url} cannot be reached. Check that it runs there. Start a server with \`truecast serve\`.`,
      { code: 'unreachable', cause },
    );
  }
}

/** Adds a hint if the server does not respond. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!ServerError.isInstance(cause) || cause.code !== 'unreachable') throw cause;
    throw new ServerError(`${cause.message} Start a server with \`truecast serve\`.`, {
      code: cause.code,
      cause,
    });
  }
}
