/** Routes of the OpenAI-compatible API: stateless answers to the caller's conversation. */
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { WorkOrigin } from '../contract/observed-work.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { answerObserver } from './answer-observer.ts';
import { AGENT_PREFIX } from '../models/observed-agent.ts';
import { unknownModel } from '../models/unknown-model.ts';
import { answerAgent, parseAgentModel, unknownAgent, type AgentWatch } from './answer/answer-agent.ts';
import type { AnswerEncoder } from './write/answer-encoder.ts';
import { answerFormat } from './answer/answer-format.ts';
import { answerFunctions } from './answer/answer-functions.ts';
import { judgedFunctions } from './answer/judge-functions.ts';
import { answerText, type AnswerWatch } from './answer/answer-text.ts';
import { chatEncoder } from './write/chat-encoder.ts';
import type { OpenAIPorts } from './openai-ports.ts';
import { readWireBody } from './read/read-body.ts';
import { readChatRequest } from './read/read-chat-request.ts';
import { readResponsesRequest } from './read/read-responses-request.ts';
import { responsesEncoder } from './write/responses-encoder.ts';
import { sendFailure, sendStream, sendWhole } from './send-answer.ts';
import type { WireOutcome } from './wire/wire-answer.ts';
import { refused, type WireFailure } from './wire/wire-failure.ts';
import type { ReadRequest, WireRequest } from './wire/wire-request.ts';

/** Larger than the limit of the chat API, because each request contains a whole conversation. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

interface Api {
  readonly route: string;
  read(text: string, body: Readonly<Record<string, unknown>>): ReadRequest;
  encode(request: WireRequest, body: Readonly<Record<string, unknown>>): AnswerEncoder;
}

const CHAT: Api = { route: '/v1/chat/completions', read: readChatRequest, encode: chatEncoder };
const RESPONSES: Api = { route: '/v1/responses', read: readResponsesRequest, encode: responsesEncoder };

/**
 * Creates the routes `POST /v1/chat/completions`, `POST /v1/responses` and `GET /v1/models`.
 *
 * The surrounding routes must authenticate callers.
 */
export function openAIRoutes(ports: OpenAIPorts): Hono {
  const app = new Hono();
  for (const api of [CHAT, RESPONSES]) {
    app.post(api.route, ({ req: { raw } }) =>
      handle(raw, {
        api,
        ports,
        origin: ports.originOf?.(raw) ?? {},
        idempotencyKey: raw.headers.get('idempotency-key') ?? undefined,
      }),
    );
  }
  app.get('/v1/models', async () => Response.json(await modelList(ports)));
  app.get('/v1/models/:id{.+}', async (context) => oneModel(context.req.param('id'), ports));
  app.all('/v1/*', (context) => sendFailure(noRoute(context.req.method, context.req.path)));
  return app;
}

/**
 * A longer body takes milliseconds to parse, to check and to convert. Other work of the event loop runs
 * in between.
 */
const LARGE_CHARS = 64 * 1024;

interface Asking {
  readonly api: Api;
  readonly ports: OpenAIPorts;
  readonly origin: WorkOrigin;
  readonly idempotencyKey: string | undefined;
}

async function handle(raw: Request, asking: Asking): Promise<Response> {
  const { api, ports, origin } = asking;
  const observe = answerObserver(ports.onAnswer, { route: api.route, origin });
  const refuse = (failure: WireFailure): Response => {
    observe({ type: 'failed', failure });
    return sendFailure(failure);
  };
  const body = await readWireBody(raw, ports.limits?.maxBodyBytes ?? MAX_BODY_BYTES);
  if (!body.success) return refuse(body.failure);
  const isLarge = body.text.length > LARGE_CHARS;
  if (isLarge) await setImmediate();
  const read = api.read(body.text, body.value);
  if (!read.success) return refuse(read.failure);
  const { request } = read;
  if (isLarge) await setImmediate();
  const target = await findTarget(request, asking);
  if (typeof target !== 'function') return refuse(target);
  const encoder = api.encode(request, body.value);
  const settings = {
    encoder,
    answer: async (watch: AnswerWatch) => {
      const outcome = await target({ ...watch, responseId: encoder.id }).then(
        (answered) => maskedOutcome(answered, ports),
        (error: unknown): WireOutcome => ({ type: 'failed', failure: fault(error, ports) }),
      );
      observe(outcome, request);
      return outcome;
    },
    signal: AbortSignal.any([raw.signal, ...(ports.signal === undefined ? [] : [ports.signal])]),
    keepAliveMs: ports.limits?.keepAliveMs ?? KEEP_ALIVE_MS,
    ignored: request.ignored,
  };
  return request.isStreamed ? sendStream(settings) : sendWhole(settings);
}

/** A service or an agent can quote a key in its error. Answers are not masked. */
function maskedOutcome(outcome: WireOutcome, { mask }: OpenAIPorts): WireOutcome {
  if (outcome.type !== 'failed' || mask === undefined) return outcome;
  return { ...outcome, failure: { ...outcome.failure, message: mask(outcome.failure.message) } };
}

type Target = (watch: AnswerWatch & Pick<AgentWatch, 'responseId'>) => Promise<WireOutcome>;

/** Resolves the model or agent. */
async function findTarget(
  request: WireRequest,
  { ports, origin, idempotencyKey }: Asking,
): Promise<Target | WireFailure> {
  const { agents } = ports;
  if (request.model.startsWith(AGENT_PREFIX)) {
    const names = agents?.list() ?? [];
    const isKnown = names.includes(parseAgentModel(request.model).agent);
    if (agents === undefined || !isKnown) return unknownAgent(request.model, names);
    const asked = { ...ports, runner: agents, origin, idempotencyKey };
    return ({ signal, responseId }) => answerAgent(request, { ...asked, signal, responseId });
  }
  const model = await findModel(request.model, ports);
  if ('status' in model) return model;
  const { format } = request;
  const { pacing, onModelCall, trace, admitCall } = ports;
  const calls = {
    origin,
    ...(pacing && { pacing }),
    ...(onModelCall && { onModelCall }),
    ...(trace && { trace }),
    ...(admitCall && { admitCall: () => admitCall(origin) }),
  };
  const functions = judgedFunctions(request);
  if (!(functions instanceof Map)) return functions;
  if (format !== undefined) {
    return ({ signal }) => answerFormat({ ...request, format, functions }, model, { signal, ...calls });
  }
  return functions.size === 0
    ? (watch) => answerText(request, model, { ...watch, ...calls })
    : (watch) => answerFunctions(request, functions, { model, watch: { ...watch, ...calls } });
}

async function findModel(id: string, ports: OpenAIPorts): Promise<ChatModel | WireFailure> {
  try {
    return await ports.models.find(id);
  } catch (error) {
    if (!UsageError.isInstance(error)) return fault(error, ports);
    return { ...refused('model', error.message, 'model_not_found'), status: 404 };
  }
}

function fault(error: unknown, ports: OpenAIPorts): WireFailure {
  ports.onFault?.(error);
  const message = 'The server failed. Send the request again, and report it if it fails again.';
  return { status: 500, type: 'server_error', code: 'internal_error', message };
}

function noRoute(method: string, path: string): WireFailure {
  const message = `There is no route ${method} ${path.slice(0, 100)}. The API has POST /v1/chat/completions, POST /v1/responses and GET /v1/models.`;
  return { status: 404, type: 'invalid_request_error', code: 'unknown_url', message };
}

interface WireModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

async function modelList({ models, agents }: OpenAIPorts): Promise<{ object: 'list'; data: WireModel[] }> {
  const names = [...(await models.list()), ...(agents?.list() ?? []).map((name) => `${AGENT_PREFIX}${name}`)];
  const data = names.map((id): WireModel => ({ id, object: 'model', created: 0, owned_by: 'truecast' }));
  return { object: 'list', data };
}

async function oneModel(id: string, ports: OpenAIPorts): Promise<Response> {
  const { data } = await modelList(ports);
  const model = data.find((each) => each.id === id);
  if (model !== undefined) return Response.json(model);
  const known = data.map((each) => each.id);
  const message = unknownModel(id, known, '/v1/models');
  return sendFailure({ ...refused('model', message, 'model_not_found'), status: 404 });
}
