/** Owns `createServer()`: a server inside a program of somebody's own. */
import { UsageError } from '../errors/usage-error.ts';
import { describeValue } from '../errors/describe-value.ts';
import { readServerConfig } from '../server/config/read-server-config.ts';
import type { ServerConfig } from '../server/config/server-config.ts';
import type { AccessToken, IssuedToken, NewToken } from '../server/contract/access-tokens.ts';
import { issueToken } from '../server/http/access-token.ts';
import { listTokens, revokeToken } from '../server/state/tokens.ts';
import type { OwnTools } from '../server/tools/own-tool.ts';
import { toServerTools } from '../server/tools/to-server-tools.ts';
import { openWorker, type OpenWorker } from './open-worker.ts';
import { serveHttp } from './serve-http.ts';

/** What `createServer()` takes: a configuration, where to listen and to keep chats, and tools of the program's own. */
export interface CreateServerOptions extends ServerConfig {
  /** A file's path, `:memory:`, or `postgres://…`. @default '.truecast/truecast.sqlite' */
  readonly databaseUrl?: string;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 takes any that is free. @default 4747 */
  readonly port?: number;
  /** Tools that run in this process, for every chat. @default {} */
  readonly tools?: OwnTools;
  /** Where the keys and addresses of models are looked up. @default `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Is told, a line at a time, what goes wrong and what is done about it. @default nobody; a request that fails by a fault of the server's is a warning of the process */
  readonly onLog?: (line: string) => void;
}

/** A server that listens and works. */
export interface ChatServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The models of its chats, the default first. */
  readonly models: readonly string[];
  /** Makes a token, whose text is told this once. */
  createToken(token: NewToken): Promise<IssuedToken>;
  /** All tokens, the oldest first, revoked ones too. */
  listTokens(): Promise<readonly AccessToken[]>;
  /** Takes a token back, at once. Returns whether there was one. */
  revokeToken(id: string): Promise<boolean>;
  /** Takes no more requests, ends the streams, leaves turns after their last commit, and closes the database. Once is enough. */
  close(): Promise<void>;
}

/**
 * Starts a server, with a worker in the same process: what `truecast serve` runs, without its terminal and its `truecast.config.ts`.
 *
 * Nobody gets in without a token. Close it, or hold it with `await using`; the process can end by itself then. Turns that were under way go on at
 * the next start on the same database, or in another process of it.
 *
 * @throws UsageError for options that are wrong, a model or an agent that cannot be used, and an address where nobody can listen
 * @throws StoreError when the database cannot be opened
 * @example
 * ```ts
 * await using server = await createServer({ port: 0, models: ['anthropic:claude-sonnet-5-5'], limits: { maxSteps: 20 } });
 * const { token } = await server.createToken({ name: 'me' });
 * const client = createClient({ baseURL: server.url, token });
 * const { value } = await client.chat().ask({
 *   message: 'Which planet is the largest?',
 *   output: Output.object({ schema: z.object({ planet: z.string() }) }),
 * });
 * console.log(value.planet);
 * ```
 */
export async function createServer(options: CreateServerOptions = {}): Promise<ChatServer> {
  const { databaseUrl, host = '127.0.0.1', port = 4747, tools, environment, onLog, ...rest } = options;
  const config = readServerConfig(rest, 'The call of `createServer()`');
  assertPlace(host, port);
  const worker = await openWorker({
    config,
    models: [],
    tools: toServerTools(tools ?? {}),
    environment: environment ?? process.env,
    log: onLog ?? ((): void => {}),
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  try {
    const http = await serveHttp(worker, {
      host,
      port,
      config,
      ...(onLog !== undefined && { onFault: (error, requestId) => onLog(describeFault(error, requestId)) }),
    });
    return toChatServer(worker, http);
  } catch (error) {
    await worker.close();
    throw error;
  }
}

function describeFault(error: unknown, requestId: string): string {
  return `error: request ${requestId} failed: ${error instanceof Error ? error.message : String(error)}`;
}

function toChatServer(worker: OpenWorker, http: Pick<ChatServer, 'url' | 'close'>): ChatServer {
  const { store, models } = worker;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeBoth(worker, http));
  return {
    url: http.url,
    models: models.list(),
    createToken: (token) => issueToken(store, token),
    listTokens: () => listTokens(store.db),
    revokeToken: (id) => revokeToken(store.db, id, Date.now()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeBoth(worker: OpenWorker, http: Pick<ChatServer, 'close'>): Promise<void> {
  try {
    await http.close();
  } finally {
    await worker.close();
  }
}

function assertPlace(host: unknown, port: unknown): void {
  if (typeof host !== 'string' || host === '')
    throw new UsageError(`Expected \`host\` to be a name or an address, got ${describeValue(host)}.`);
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535)
    throw new UsageError(
      `Expected \`port\` to be a whole number from 0 to 65535, got ${describeValue(port)}.`,
    );
}
