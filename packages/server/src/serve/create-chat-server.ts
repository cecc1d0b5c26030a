/** `createChatServer()`: a server inside a user's program. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { GenerateModel } from '@truecast/model';
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import { readServerConfig } from '../config/read-server-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { AccessToken, IssuedToken, NewToken } from '../contract/access-tokens.ts';
import { issueToken } from '../http/access-token.ts';
import { listTokens, revokeToken } from '../state/tokens.ts';
import { nameModels } from '../models/given-models.ts';
import type { OwnTools } from '../tools/own-tool.ts';
import { toServerTools } from '../tools/to-server-tools.ts';
import { openWorker, type OpenWorker } from './open-worker.ts';
import { warnOfFault } from '../http/app/listen-http.ts';
import { serveHttp } from './serve-http.ts';

/** Options of `createChatServer()`: configuration, address, database, and custom tools. */
export interface ChatServerOptions extends Omit<ServerConfig, 'models'> {
  /**
   * Models as `provider:model`, or language models of the AI SDK, such as `openai('gpt-5.4')`. The
   * first one is the default. Other processes on the database cannot use an object. @default those of
   * `modelsFile`, else those with keys in the environment
   */
  readonly models?: readonly (string | GenerateModel)[];
  /** A file's path, `:memory:`, or `postgres://…`. @default `truecast.sqlite` in the state folder of the working directory's repository */
  readonly databaseUrl?: string;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 selects a free port. @default 4747 */
  readonly port?: number;
  /** True to serve the console at `/`. @default false */
  readonly console?: boolean;
  /** Custom tools of every chat, run in this process. @default {} */
  readonly tools?: OwnTools;
  /** Source of model keys and URLs. @default `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Called with each line of the log: one JSON object, without a line feed. @default none; a server
   * fault then emits a process warning
   */
  readonly onLog?: (line: string) => void;
}

/** Options beside the configuration. */
const OWN_OPTIONS: readonly string[] = Object.keys({
  databaseUrl: true,
  host: true,
  port: true,
  console: true,
  tools: true,
  environment: true,
  onLog: true,
} satisfies OptionNames<Omit<ChatServerOptions, keyof ServerConfig>>);

/** A server that listens and runs turns. */
export interface ChatServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The models of its chats, the default first. */
  readonly models: readonly string[];
  /** Creates a token. Its text is returned only here. */
  createToken(token: NewToken): Promise<IssuedToken>;
  /** Lists all tokens, oldest first, revoked ones included. */
  listTokens(): Promise<readonly AccessToken[]>;
  /** Revokes a token at once. Returns true if it existed. */
  revokeToken(id: string): Promise<boolean>;
  /**
   * Rejects new requests, ends the streams, stops turns after their last commit, and closes the
   * database. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Starts a server and a worker in one process: the same as `truecast serve`, without its terminal
 * and `truecast.config.ts`.
 *
 * Every request needs a token. Close the server, or use `await using`, so that the process can
 * exit. Interrupted turns continue at the next start on the same database, or in another process on
 * it.
 *
 * @throws UsageError for invalid options, a model or an agent that cannot be used, and an
 *   unavailable address
 * @throws StoreError when the database cannot be opened
 * @example
 * ```ts
 * await using server = await createChatServer({ port: 0, models: ['anthropic:claude-sonnet-5-5'], limits: { maxSteps: 20 } });
 * const { token } = await server.createToken({ name: 'me' });
 * const client = createClient({ baseURL: server.url, token });
 * const { output } = await client.chat().ask({
 *   prompt: 'Which planet is the largest?',
 *   output: Output.object({ schema: z.object({ planet: z.string() }) }),
 * });
 * console.log(output.planet);
 * ```
 * @public
 */
export async function createChatServer(options: ChatServerOptions = {}): Promise<ChatServer> {
  assertKind(options, 'an object', 'options', 'Pass `{ databaseUrl, models }`, or leave it out.');
  const { databaseUrl, host = '127.0.0.1', port = 4747, ...own } = options;
  const { console: hasConsole = false, tools, environment, onLog, models, ...rest } = own;
  const { names, given } = nameModels(Array.isArray(models) ? models : []);
  const asked = Array.isArray(models) ? names : models;
  const config = readServerConfig(
    { ...rest, ...(asked !== undefined && { models: asked }) },
    'The call of `createChatServer()`',
    OWN_OPTIONS,
  );
  assertPlace(host, port);
  const worker = await openWorker({
    config,
    models: [],
    given,
    tools: toServerTools(tools ?? {}),
    environment: environment ?? process.env,
    writeLog: onLog ?? ((): void => {}),
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  try {
    const http = await serveHttp(worker, {
      host,
      port,
      config,
      hasConsole,
      ...(onLog === undefined && { onFault: warnOfFault }),
    });
    return toChatServer(worker, http);
  } catch (error) {
    await worker.close();
    throw error;
  }
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
    revokeToken: (id) => revokeToken(store, id, Date.now()),
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
  if (typeof host !== 'string' || host === '') {
    throw new UsageError(`Expected \`host\` to be a name or an address, got ${describeValue(host)}.`);
  }
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    throw new UsageError(
      `Expected \`port\` to be a whole number from 0 to 65535, got ${describeValue(port)}.`,
    );
  }
}
