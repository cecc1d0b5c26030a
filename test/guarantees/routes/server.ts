/** A server of chats and of the OpenAI-compatible API, as a client reaches it. */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../../packages/core/src/json/parse-json.ts';
import type { ServerConfig } from '../../../packages/server/src/config/server-config.ts';
import {
  createChatServer,
  type ChatServerOptions,
} from '../../../packages/server/src/serve/create-chat-server.ts';
import { createPreparedFile } from '../../describe-on-both-stores.ts';
import { temporaryFolder } from '../../run/fixture.ts';
import type { Outcome } from './outcome.ts';

/** Schema of every question: `{ answer: number }`. */
export const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    schema: {
      type: 'object',
      properties: { answer: { type: 'number' } },
      required: ['answer'],
      additionalProperties: false,
    },
  },
} as const;

/** How the server starts. */
export interface ServerCall extends Pick<
  ServerConfig,
  'agents' | 'limits' | 'modelsFile' | 'quotas' | 'workspace'
> {
  /** Custom tools of every chat. */
  readonly tools?: ChatServerOptions['tools'];
  /** Address of its model service, up to `/v1`. */
  readonly serviceUrl?: string;
  readonly apiKey?: string;
  /** Other variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A client of one owner. */
export interface ServerClient {
  /** Sends a message to a new chat and waits for the end of its turn. */
  chat(text: string, body?: object): Promise<Outcome>;
  /** Sends a request to `/v1/chat/completions`. */
  completion(body?: object): Promise<Outcome>;
  /** Sends any request: a POST with a body, else a GET. */
  ask(path: string, body?: object): Promise<Answer>;
  /** Sends any request, and returns its answer unread. */
  open(path: string, body?: object): Promise<Response>;
}

/** A running server, and a client of it. */
export interface StartedServer extends ServerClient, AsyncDisposable {
  readonly databaseUrl: string;
  /** Returns a client of another owner. */
  of(owner: string): Promise<ServerClient>;
}

const MODEL = 'm';

/** Starts the server on a new database file. */
export async function startServer({
  serviceUrl,
  apiKey,
  env = {},
  tools = {},
  ...config
}: ServerCall): Promise<StartedServer> {
  const log: string[] = [];
  const databaseUrl = join(temporaryFolder(), 'truecast.sqlite');
  await createPreparedFile(databaseUrl);
  const server = await createChatServer({
    port: 0,
    databaseUrl,
    tools,
    ...config,
    environment: {
      ...env,
      ...(serviceUrl !== undefined && { TRUECAST_BASE_URL: serviceUrl, TRUECAST_MODEL: MODEL }),
      ...(apiKey !== undefined && { TRUECAST_API_KEY: apiKey }),
    },
    logLevel: 'debug',
    onLog: (line) => log.push(line),
  });
  const shown: Shown = (...texts) => [...texts, ...log, fileText(databaseUrl)].join('\n');
  const of = async (owner: string): Promise<ServerClient> => {
    const { token } = await server.createToken({ name: 'test', owner, scopes: ['chats'] });
    return clientOf(server.url, token, shown);
  };
  return { ...(await of('anna')), databaseUrl, of, [Symbol.asyncDispose]: () => server.close() };
}

/** Returns the texts with everything that the server logged and stored. */
type Shown = (...texts: readonly string[]) => string;

function clientOf(url: string, token: string, shown: Shown): ServerClient {
  const open = (path: string, body?: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  const ask = async (path: string, body?: object): Promise<Answer> => {
    const response = await open(path, body);
    const text = await response.text();
    const parsed = parseJson(text);
    const ignored = response.headers.get('x-truecast-ignored') ?? undefined;
    return {
      status: response.status,
      text,
      json: parsed.success ? parsed.value : undefined,
      ...(ignored !== undefined && { ignored }),
    };
  };
  return {
    ask,
    open,
    chat: async (text, body = {}) => chatOutcome(ask, { content: text, ...body }, shown),
    completion: async (body = {}) => {
      const messages = [{ role: 'user', content: 'How many?' }];
      return completionOutcome(
        await ask('/v1/chat/completions', { model: `local:${MODEL}`, messages, ...body }),
        shown,
      );
    },
  };
}

/** An answer of the server. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
  /** Fields of the request that the server named as not used. */
  readonly ignored?: string;
}

type Ask = (path: string, body?: object) => Promise<Answer>;

/** Returns the bytes of a database file and of its log, as a reader of the disk sees them. */
export function fileText(path: string): string {
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'latin1') : '');
  return `${read(path)}${read(`${path}-wal`)}`;
}

const createdSchema = z.looseObject({ chat: z.object({ id: z.string() }), request_id: z.string().nullish() });
const chatSchema = z.looseObject({ status: z.string(), error: z.unknown().optional() });
const receiptSchema = z.looseObject({
  status: z.string(),
  value: z.unknown().optional(),
  reason: z.string().nullish(),
});
/** More than the longest retry of the tests, below the limit of requests per minute. */
const POLLS = 400;
const POLL_MS = 100;

async function chatOutcome(
  ask: Ask,
  body: object,
  shown: (...texts: readonly string[]) => string,
): Promise<Outcome> {
  const created = await ask('/api/chats', body);
  if (created.status !== 201) return refused(created, shown(created.text));
  const { chat, request_id: requestId } = createdSchema.parse(created.json);
  const ended = await untilIdle(ask, chat.id);
  const messages = await ask(`/api/chats/${chat.id}/messages`);
  const receipt =
    typeof requestId === 'string' ? await ask(`/api/chats/${chat.id}/requests/${requestId}`) : undefined;
  const told = receiptSchema.safeParse(receipt?.json).data;
  const texts = [ended.text, messages.text, receipt?.text ?? ''];
  return {
    isAccepted: ended.status !== 'error' && (told === undefined || told.status === 'succeeded'),
    value: told?.value,
    ...(typeof told?.reason === 'string' && { code: told.reason }),
    message: texts.join('\n'),
    warnings: [],
    commits: [],
    sensitive: [],
    output: shown(...texts),
  };
}

async function untilIdle(
  ask: Ask,
  chatId: string,
): Promise<{ readonly status: string; readonly text: string }> {
  for (let polls = 0; polls < POLLS; polls += 1) {
    const { json, text } = await ask(`/api/chats/${chatId}`);
    const status = chatSchema.safeParse(json).data?.status ?? '';
    if (['waiting', 'error', 'requires_action'].includes(status)) return { status, text };
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  throw new TypeError(`The chat ${chatId} never ended its turn.`);
}

const completionSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
});
const errorSchema = z.object({ error: z.looseObject({ code: z.string().nullish(), message: z.string() }) });

function completionOutcome(answer: Answer, shown: (...texts: readonly string[]) => string): Outcome {
  if (answer.status !== 200) return refused(answer, shown(answer.text));
  const [choice] = completionSchema.parse(answer.json).choices;
  return {
    isAccepted: true,
    value: choice?.message.content,
    ...(answer.ignored !== undefined && { ignored: answer.ignored }),
    message: '',
    warnings: [],
    commits: [],
    sensitive: [],
    output: shown(answer.text),
  };
}

function refused({ json, text }: Answer, output: string): Outcome {
  const error = errorSchema.safeParse(json).data?.error;
  return {
    isAccepted: false,
    ...(typeof error?.code === 'string' && { code: error.code }),
    message: error?.message ?? text,
    warnings: [],
    commits: [],
    sensitive: [],
    output,
  };
}
