/** Owns the scripted model server: an HTTP server on loopback that speaks model services' wire formats from a script. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../errors/usage-error.ts';
import { anthropicMessagesWire } from './anthropic-messages-wire.ts';
import { answerTurn } from './answer-turn.ts';
import { LOCAL_SERVERS } from './chat-dialects.ts';
import { geminiWire } from './gemini-wire.ts';
import { plainHeaders, readBody, sendAnswer } from './http-answer.ts';
import { type ModelScript, nextReply } from './model-script.ts';
import type { ModelWire, WireAnswer, WireRequest } from './model-wire.ts';
import { openaiChatWire } from './openai-chat-wire.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import { parseJson } from './parse-body.ts';
import {
  type LocalServerName,
  type ModelWireName,
  scriptedTurn,
  type ScriptedTurn,
} from './scripted-turn.ts';

/** Small enough that a tag of an answer is cut by most streams. */
const DEFAULT_CHUNK_CHARS = 16;

const DEFAULT_MODELS: readonly string[] = ['scripted'];

/** Clients that heed it do not repeat a call which the script will fail again. */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** What a scripted model server is made from. */
export interface ScriptedModelServerOptions {
  /** Decides each reply from what was posted. */
  readonly script: ModelScript;
  /** @default 0, any free port */
  readonly port?: number;
  /** Loopback only. @default "127.0.0.1" */
  readonly host?: '127.0.0.1' | '::1';
  /** The key without which every request is refused with 401, as the services do. @default none, every request is taken */
  readonly key?: string;
  /** Ids that `GET /v1/models` lists to OpenAI's clients; a model that is not listed is answered all the same. @default ["scripted"] */
  readonly models?: readonly string[];
  /** Most UTF-16 units in one delta of a stream. @default 16 */
  readonly chunkChars?: number;
  /** The local inference server whose Chat Completions are spoken, with its own fields, errors and refusals. @default OpenAI's own */
  readonly localServer?: LocalServerName;
}

/** One request as it came, and how it was answered. Nothing is masked: a test may look for the key. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. */
  readonly body: string;
  /** The service that was asked; undefined when no wire knows the path. */
  readonly wire?: ModelWireName;
  /** What the script was shown; undefined when the request was no model call, or was refused. */
  readonly turn?: ScriptedTurn;
  /** Status of the answer; undefined while there is none. */
  readonly statusCode?: number;
}

/** A running scripted model server. */
export interface ScriptedModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:41234`, without a slash at its end. */
  readonly url: string;
  /** Base URL for clients of Anthropic Messages, `ANTHROPIC_BASE_URL` among them. */
  readonly anthropicUrl: string;
  /** Base URL for clients of OpenAI Chat Completions and Responses: it ends in `/v1`. */
  readonly openaiUrl: string;
  /** Base URL for clients of Gemini, `GOOGLE_GEMINI_BASE_URL` among them: they add `/v1beta` themselves. */
  readonly geminiUrl: string;
  /** Every request, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** The turns that the script was shown, in order. */
  readonly turns: readonly ScriptedTurn[];
  /** What the script threw, and calls for which it had no reply; each was answered with 500. A test should end with none. */
  readonly failures: readonly unknown[];
  /** Drops every connection and frees the port. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts a model service on loopback that answers from a script, so that a real client runs with no account and no network.
 *
 * It refuses what the real services refuse, with their status and error body: calls without a result, results without a call,
 * schemas that a strict mode does not take, a missing key. A refused request does not reach the script.
 * The server runs until it is closed; `await using` closes it.
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
  const { port = 0, host = '127.0.0.1' } = options;
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new UsageError(`Expected \`host\` to be 127.0.0.1 or ::1, got \`${String(host)}\`.`);
  }
  const state = newState(options);
  const server = createServer((request, response) => void handle(request, response, state));
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
  readonly wires: readonly ModelWire[];
  readonly requests: MutableRequest[];
  readonly turns: ScriptedTurn[];
  readonly failures: unknown[];
  readonly closing: AbortController;
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
    recorded.body = await readBody(request);
    await answer(recorded, response, state);
  } catch (error) {
    // A client that hung up in the middle of its request is no failure of the script.
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
  const request: WireRequest = {
    method: recorded.method,
    pathname: pathnameOf(recorded),
    headers: recorded.headers,
    body: parseJson(recorded.body),
  };
  const wire = state.wires.find((each) => each.owns(request));
  if (wire === undefined) return sendAnswer(response, { statusCode: 404, body: { error: 'not found' } });
  recorded.wire = wire.name;
  const plain = refusedKey(wire, request, state) ?? wire.answerAside(request);
  if (plain !== undefined) return sendAnswer(response, plain);
  const reading = wire.read(request);
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

function refusedKey(wire: ModelWire, request: WireRequest, { options }: ServerState): WireAnswer | undefined {
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
