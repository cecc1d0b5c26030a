/** `createChatServer()`: a server inside a user's program, with a port or mounted in the program's app. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { GenerateModel } from '@truecast/model';
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import { readServerConfig } from '../config/read-server-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { AccessToken, IssuedToken, NewToken } from '../contract/access-tokens.ts';
import { issueToken } from '../tokens/access-token.ts';
import { listTokens, revokeToken } from '../tokens/token-rows.ts';
import { nameModels } from '../models/given-models.ts';
import type { OwnTools } from '../tools/own-tool.ts';
import { toServerTools } from '../tools/to-server-tools.ts';
import { openWorker, type OpenWorker, type WorkerSettings } from './open-worker.ts';
import { warnOfFault, type MountedHttp } from '../http/app/listen-http.ts';
import { nodeHandler, type NodeHandler } from '../http/app/node-handler.ts';
import { mountWorker, serveHttp } from './serve-http.ts';
import { readPlace, type GivenPlace } from './server-place.ts';

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
  /** False to open no port, and to mount the server in your app. @default true */
  readonly listen?: true;
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

/** Options of a server that is mounted in your app. */
export interface MountedServerOptions extends Omit<
  ChatServerOptions,
  'console' | 'host' | 'listen' | 'port'
> {
  /** Opens no port: your app passes requests to `fetch()` or `nodeHandler()`. */
  readonly listen: false;
  /**
   * Path of the server in your app, such as `/ai`, if your app passes whole paths. Other paths are not
   * found. @default `''`: your app removes its prefix, as `mount()` of Hono and `use()` of Express do
   */
  readonly basePath?: string;
}

/** Options beside the configuration. */
const OWN_OPTIONS: readonly string[] = Object.keys({
  databaseUrl: true,
  listen: true,
  host: true,
  port: true,
  basePath: true,
  console: true,
  tools: true,
  environment: true,
  onLog: true,
} satisfies OptionNames<Omit<AnyOptions, keyof ServerConfig>>);

/** Options as given, of any place. */
type AnyOptions = Omit<ChatServerOptions, keyof GivenPlace> & Partial<GivenPlace>;

/** Options of this project's own suites. */
type InternalOptions = Pick<WorkerSettings, 'demoPace'>;

/** A server that runs turns, and answers the requests that your app passes to it. */
export interface MountedServer extends AsyncDisposable {
  /** The models of its chats, the default first. */
  readonly models: readonly string[];
  /** Answers a request, such as in `app.mount('/ai', server.fetch)` of Hono and in route handlers of Next. */
  fetch(this: void, request: Request): Promise<Response>;
  /** Answers a request of `node:http`, such as in `app.use('/ai', server.nodeHandler)` of Express. */
  nodeHandler(this: void, request: IncomingMessage, response: ServerResponse): void;
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

/** A server that listens and runs turns. */
export interface ChatServer extends MountedServer {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
}

/**
 * Starts a server and a worker in one process: the same as `truecast serve`, without its terminal
 * and `truecast.config.ts`.
 *
 * Every request needs a token. Close the server, or use `await using`, so that the process can
 * exit. Interrupted turns continue at the next start on the same database, or in another process on
 * it. With `listen: false` it opens no port, and has no `url`: mount its `fetch()` in your app.
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
export function createChatServer(options: MountedServerOptions): Promise<MountedServer>;
export function createChatServer(options?: ChatServerOptions): Promise<ChatServer>;
export async function createChatServer(
  options: ChatServerOptions | MountedServerOptions = {},
  // Not public: no overload has it.
  { demoPace }: InternalOptions = {},
): Promise<ChatServer | MountedServer> {
  assertKind(options, 'an object', 'options', 'Pass `{ databaseUrl, models }`, or leave it out.');
  const { listen, host, port, console, basePath, ...own }: AnyOptions = options;
  const { databaseUrl, tools, environment, onLog, models, ...rest } = own;
  const { names, given } = nameModels(Array.isArray(models) ? models : []);
  const asked = Array.isArray(models) ? names : models;
  const config = readServerConfig(
    { ...rest, ...(asked !== undefined && { models: asked }) },
    'The call of `createChatServer()`',
    OWN_OPTIONS,
  );
  const place = readPlace({ listen, host, port, console, basePath });
  const worker = await openWorker({
    config,
    models: [],
    given,
    demoPace,
    tools: toServerTools(tools ?? {}),
    environment: environment ?? process.env,
    writeLog: onLog ?? ((): void => {}),
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  const settings = { config, ...(onLog === undefined && { onFault: warnOfFault }) };
  try {
    if ('basePath' in place) {
      return toChatServer(worker, mountWorker(worker, { ...settings, ...place }));
    }
    const http = await serveHttp(worker, { ...settings, ...place });
    return { ...toChatServer(worker, http), url: http.url };
  } catch (error) {
    await worker.close();
    throw error;
  }
}

function toChatServer(worker: OpenWorker, http: MountedHttp): MountedServer {
  const { store, models } = worker;
  let closing: Promise<void> | undefined;
  let listener: NodeHandler | undefined;
  const close = (): Promise<void> => (closing ??= closeBoth(worker, http));
  return {
    models: models.list(),
    fetch: http.fetch,
    nodeHandler: (request, response) => (listener ??= nodeHandler(http.fetch))(request, response),
    createToken: (token) => issueToken(store, token),
    listTokens: () => listTokens(store.db),
    revokeToken: (id) => revokeToken(store, id, Date.now()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeBoth(worker: OpenWorker, http: MountedHttp): Promise<void> {
  try {
    await http.close();
  } finally {
    await worker.close();
  }
}
