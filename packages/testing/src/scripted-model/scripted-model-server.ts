/**
 * Scripted model server: a loopback HTTP server that speaks model services' wire formats from a
 * script.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicMessagesWire } from './anthropic/anthropic-messages-wire.ts';
import { answerTurn } from './answer-turn.ts';
import { LOCAL_SERVERS } from './openai-chat/chat-dialects.ts';
import { geminiWire } from './gemini/gemini-wire.ts';
import { plainHeaders, readRequestBody, sendAnswer } from './http-answer.ts';
import { type ModelScript, nextReply } from './model-script.ts';
import type { ScriptedWire, ScriptedWireAnswer, ScriptedWireRequest } from './turn/model-wire.ts';
import { openaiChatWire } from './openai-chat/openai-chat-wire.ts';
import { openaiResponsesWire } from './openai-responses/openai-responses-wire.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { reportedWindow, refusedLength } from './scripted-window.ts';
import {
  type LocalServerName,
  type ModelWireName,
  scriptedTurn,
  type ScriptedTurn,
} from './turn/scripted-turn.ts';

/** Small enough that most streams cut an answer's tag. */
const DEFAULT_CHUNK_CHARS = 16;
/** Client and server often share one event loop, which a busy machine can block for seconds. */
const KEEP_ALIVE_MS = 75_000;

const DEFAULT_MODELS: readonly string[] = ['scripted'];

/** Tells clients not to retry a call that the script would fail again. */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** Options of a scripted model server. */
export interface ScriptedModelServerOptions {
  /** Computes each reply from the posted request. */
  readonly script: ModelScript;
  /** @default 0, any free port */
  readonly port?: number;
  /** Loopback only. @default "127.0.0.1" */
  readonly host?: '127.0.0.1' | '::1';
  /**
   * API key without which every request is refused with 401, as the services do. @default none,
   * every request is accepted
   */
  readonly key?: string;
  /**
   * Ids that `GET /v1/models` lists to OpenAI clients. Unlisted models answer too. @default
   * ["scripted"]
   */
  readonly models?: readonly string[];
  /** Maximum UTF-16 units in one stream delta. @default 16 */
  readonly chunkChars?: number;
  /**
   * The local inference server to imitate on Chat Completions: its fields, errors, refusals, and what
   * it drops without an error. A schema that ends the process of `llama-cpp-python` ends this server
   * too: its socket closes, and its port stops listening. @default OpenAI
   */
  readonly localServer?: LocalServerName;
  /**
   * Context window in tokens, at four characters per token. A longer request is refused, and an
   * imitated `llama.cpp` reports the size. @default unlimited
   */
  readonly contextTokens?: number;
}

/** A received request and its response. Nothing is masked: a test can search for the key. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. */
  readonly body: string;
  /** The service. Undefined if no wire has the path. */
  readonly wire?: ModelWireName;
  /** The script's input. Undefined if the request was not a model call, or was refused. */
  readonly turn?: ScriptedTurn;
  /** Status of the response. Undefined before it is sent. */
  readonly statusCode?: number;
}

/** A running scripted model server. */
export interface ScriptedModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:41234`, without a trailing slash. */
  readonly url: string;
  /** Base URL for Anthropic Messages clients, for example as `ANTHROPIC_BASE_URL`. */
  readonly anthropicUrl: string;
  /** Base URL for OpenAI Chat Completions and Responses clients. It ends in `/v1`. */
  readonly openaiUrl: string;
  /**
   * Base URL for Gemini clients, for example as `GOOGLE_GEMINI_BASE_URL`. Clients append `/v1beta`.
   */
  readonly geminiUrl: string;
  /** All requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** All turns passed to the script, in order. */
  readonly turns: readonly ScriptedTurn[];
  /**
   * Errors of the script, and calls without a reply. Each was answered with 500. A test should end
   * with none.
   */
  readonly failures: readonly unknown[];
  /** Drops every connection and frees the port. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a model service on loopback that answers from a script, so that a real client runs without
 * an account or a network.
 *
 * It refuses the same requests as the real services, with their status and error body: calls
 * without a result, results without a call, schemas that a strict mode rejects, a missing key. A
 * refused request does not reach the script. Close the server, or use `await using`.
 *
 * @throws UsageError `invalid-option` for a host that is not loopback
 * @example
 * ```ts
 * await using server = await scriptedModelServer({
 *   script: (turn) => reply.text(`You said ${turn.userText.length} characters.`),
 * });
 * process.env['ANTHROPIC_BASE_URL'] = server.anthropicUrl;
 * ```
 */
export async function scriptedModelServer(options: ScriptedModelServerOptions): Promise<ScriptedModelServer> {
  assertKind(options, 'an object', 'options', "Pass `{ script: () => reply.text('Hello.') }`.");
  const { port = 0, host = '127.0.0.1' } = options;
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new UsageError(`Expected \`host\` to be 127.0.0.1 or ::1, got \`${String(host)}\`.`);
  }
  const state = newState(options);
  const server = process
    .getBuiltinModule('node:http')
    .createServer(
      { keepAliveTimeout: KEEP_ALIVE_MS },
      (request, response) => void handle(request, response, state),
    );
  // As of a process that ended: no reply, and no listener on the port.
  state.end = () => {
    server.close();
    server.closeAllConnections();
  };
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
  const url = `http://${host === '::1' ? '[::1]' : host}:${address.port}`;
  const close = (): Promise<void> => closeServer(server, state);
  return {
    url,
    anthropicUrl: url,
    openaiUrl: `${url}/v1`,
    geminiUrl: url,
    requests: state.requests,
    turns: state.turns,
    failures: state.failures,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ServerState {
  readonly options: ScriptedModelServerOptions;
  readonly wires: readonly ScriptedWire[];
  readonly requests: MutableRequest[];
  readonly turns: ScriptedTurn[];
  readonly failures: unknown[];
  readonly closing: AbortController;
  /** Ends the imitated process. */
  end: () => void;
}

type MutableRequest = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

function newState(options: ScriptedModelServerOptions): ServerState {
  return {
    options,
    wires: [
      anthropicMessagesWire(),
      geminiWire(),
      openaiChatWire(options.localServer === undefined ? undefined : LOCAL_SERVERS[options.localServer]),
      openaiResponsesWire(options.models ?? DEFAULT_MODELS),
    ],
    requests: [],
    turns: [],
    failures: [],
    closing: new AbortController(),
    end: () => undefined,
  };
}

async function closeServer(server: Server, state: ServerState): Promise<void> {
  state.closing.abort();
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function handle(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const recorded = record(request, state);
  response.once('finish', () => {
    recorded.statusCode = response.statusCode;
  });
  try {
    recorded.body = await readRequestBody(request);
    await answer(recorded, response, state);
  } catch (error) {
    // A client that disconnected during its request is not a failure of the script.
    if (!request.complete) return;
    state.failures.push(error);
    fail(recorded, response, state, error);
  }
}

function record(request: IncomingMessage, state: ServerState): MutableRequest {
  const recorded: MutableRequest = {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: plainHeaders(request),
    body: '',
  };
  state.requests.push(recorded);
  return recorded;
}

async function answer(recorded: MutableRequest, response: ServerResponse, state: ServerState): Promise<void> {
  const request: ScriptedWireRequest = {
    method: recorded.method,
    pathname: pathnameOf(recorded),
    headers: recorded.headers,
    body: jsonValueOf(recorded.body),
  };
  if (state.options.localServer === 'llama.cpp') response.setHeader('server', 'llama.cpp');
  const window = reportedWindow(request.pathname, state.options);
  if (window !== undefined) return sendAnswer(response, window);
  const wire = state.wires.find((each) => each.owns(request));
  if (wire === undefined) return sendAnswer(response, { statusCode: 404, body: { error: 'not found' } });
  recorded.wire = wire.name;
  const plain = refusedKey(wire, request, state) ?? wire.answerAside(request);
  if (plain !== undefined) return sendAnswer(response, plain);
  const tooLong = refusedLength(recorded.body, state.options);
  if (tooLong !== undefined) return sendAnswer(response, wire.encodeError(tooLong));
  const reading = wire.read(request);
  if (reading.type === 'ends') return state.end();
  if (reading.type === 'refusal') return sendAnswer(response, wire.encodeError(reading.error));
  const turn = scriptedTurn(reading.turn, {
    wire: wire.name,
    turnIndex: state.turns.length,
    headers: request.headers,
    body: request.body,
    signal: hangUpSignal(response, state.closing.signal),
  });
  recorded.turn = turn;
  state.turns.push(turn);
  const settle = {
    chunkChars: state.options.chunkChars ?? DEFAULT_CHUNK_CHARS,
    requestChars: recorded.body.length,
  };
  await answerTurn(await nextReply(state.options.script, turn), { wire, request, turn, response, settle });
}

function refusedKey(
  wire: ScriptedWire,
  request: ScriptedWireRequest,
  { options }: ServerState,
): ScriptedWireAnswer | undefined {
  const key = wire.keyOf(request.headers);
  if (options.key === undefined || key === options.key || request.method === 'HEAD') return undefined;
  const message = key === undefined ? 'No API key was sent.' : 'The API key that was sent is not valid.';
  return wire.encodeError({ statusCode: 401, message });
}

function hangUpSignal(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const hangUp = new AbortController();
  response.once('close', () => hangUp.abort());
  return AbortSignal.any([hangUp.signal, closing]);
}

function fail(recorded: RecordedRequest, response: ServerResponse, state: ServerState, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = `The script failed: ${error instanceof Error ? error.message : String(error)}`;
  const wire = state.wires.find((each) => each.name === recorded.wire);
  const refusal = wire?.encodeError({ statusCode: 500, message }) ?? { statusCode: 500 };
  sendAnswer(response, { ...refusal, headers: { ...refusal.headers, ...NO_RETRY } });
}

function pathnameOf({ path }: RecordedRequest): string {
  return path.split('?', 1)[0] ?? path;
}
