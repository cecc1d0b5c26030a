/** Shared test fixtures of the scripted model: posts requests and reads streams. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ModelScript } from './model-script.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { scriptedModelServer, type ScriptedModelServer } from './scripted-model-server.ts';
import { reply } from './turn/scripted-reply.ts';

/** A JSON object of a response. A missing field reads as undefined. */
export interface JsonRecord {
  readonly [key: string]: JsonValue | undefined;
}

/** One server-sent event, with its data parsed. */
export interface WireEvent {
  readonly event: string;
  readonly data: JsonRecord;
}

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonRecord;
  readonly events: readonly WireEvent[];
}

/** Starts a server that replies `ok` by default. */
export function startScripted(
  script: ModelScript = () => reply.text('ok'),
  key?: string,
): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script, ...(key !== undefined && { key }) });
}

/** Posts JSON, or a verbatim text. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return readAnswer(response);
}

/** Reads a complete response. */
async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const parsed = jsonValueOf(text) as JsonRecord | undefined; // the server's own JSON
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed ?? {},
    events: eventsOf(text),
  };
}

/** A minimal request of Anthropic Messages, with `fields` over it. */
export function anthropicBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    model: 'claude-test',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    ...fields,
  };
}

/** Posts to Anthropic Messages as a client does. */
export function postAnthropic(
  server: ScriptedModelServer,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${server.anthropicUrl}/v1/messages`, body, { 'anthropic-version': '2023-06-01', ...headers });
}

/** A minimal request of OpenAI Responses, with `fields` over it. */
export function responsesBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'gpt-test', input: 'Hi', ...fields };
}

/** Posts to OpenAI Responses as a client does. */
export function postResponses(
  server: ScriptedModelServer,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${server.openaiUrl}/responses`, body, headers);
}

/** A minimal request of OpenAI Chat Completions, with `fields` over it. */
export function chatBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'gpt-test', messages: [{ role: 'user', content: 'Hi' }], ...fields };
}

/** Posts to OpenAI Chat Completions as a client does. */
export function postChat(
  server: ScriptedModelServer,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${server.openaiUrl}/chat/completions`, body, headers);
}

/** A minimal request of Gemini, with `fields` over it. */
export function geminiBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...fields };
}

/** Posts to Gemini as a client does. `call` follows the model in the path. */
export function postGemini(
  server: ScriptedModelServer,
  call: string,
  body: unknown = geminiBody(),
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${server.geminiUrl}/v1beta/models/gemini-test:${call}`, body, headers);
}

/**
 * The chunks of a Chat Completions or Gemini stream, whose events have no names, without the end
 * marker.
 */
export function chunksOf({ text }: Answer): JsonRecord[] {
  const chunks = [...text.matchAll(/^data: (\{.+?)\r?\n\r?\n/gmu)];
  return chunks.map(([, data = '']) => jsonValueOf(data) as JsonRecord); // the server's own JSON
}

function eventsOf(text: string): WireEvent[] {
  return [...text.matchAll(/^event: (.+)\ndata: (.+)\n\n/gmu)].map(([, event = '', data = '']) => ({
    event,
    data: jsonValueOf(data) as JsonRecord, // the server's own JSON
  }));
}
