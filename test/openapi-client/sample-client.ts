/** Sample program of an integrator that uses only the OpenAPI document and its generated types. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './openapi-types.d.ts';

type Schemas = components['schemas'];

/** Results of the program. */
export interface SampleOutcome {
  readonly receipt: Schemas['Receipt'];
  /** As reported by the stream, until the receipt was final. */
  readonly events: readonly Schemas['ChatStreamEvent'][];
  readonly followUp: Schemas['SentMessage'];
  readonly refusal: Schemas['ProblemDocument'];
}

const CITY: Schemas['ResponseFormat'] = {
  type: 'json_schema',
  json_schema: {
    name: 'city',
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};

/**
 * Requests a city, follows the chat until it arrives, reads the receipt, sends another message, and
 * gets one refusal. `onFollowing` is called when the stream has begun.
 */
export async function runSample(
  baseUrl: string,
  token: string,
  onFollowing: () => void,
): Promise<SampleOutcome> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const created = await client.POST('/api/chats', {
    params: { header: { 'Idempotency-Key': 'sample-1' } },
    body: { content: 'Which city?', response_format: CITY },
  });
  const { chat, request_id: rid = '' } = expectData(created);
  const events = await followUntilEnded(client, chat.id, onFollowing);
  const read = await client.GET('/api/chats/{id}/requests/{rid}', {
    params: { path: { id: chat.id, rid }, query: { wait: 30 } },
  });
  const sent = await client.POST('/api/chats/{id}/messages', {
    params: { path: { id: chat.id } },
    body: { content: [{ type: 'text', text: 'Thanks.' }], busy_behavior: 'queue' },
  });
  const refused = await client.GET('/api/chats/{id}', { params: { path: { id: 'nothing' } } });
  if (refused.error === undefined) throw new TypeError('A chat that is not there was read.');
  return {
    receipt: expectData(read),
    events,
    followUp: expectData(sent),
    refusal: refused.error,
  };
}

function expectData<T>(answer: { readonly data?: T; readonly error?: Schemas['ProblemDocument'] }): T {
  if (answer.data !== undefined) return answer.data;
  throw new TypeError(answer.error?.detail ?? 'There was no answer.');
}

async function followUntilEnded(
  client: Client<paths>,
  id: string,
  onFollowing: () => void,
): Promise<Schemas['ChatStreamEvent'][]> {
  const leaving = new AbortController();
  const { data } = await client.GET('/api/chats/{id}/stream', {
    params: { path: { id } },
    parseAs: 'stream',
    signal: leaving.signal,
  });
  const events: Schemas['ChatStreamEvent'][] = [];
  const messages = (data ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const message of messages) {
    const event = JSON.parse(message.data) as Schemas['ChatStreamEvent'];
    events.push(event);
    onFollowing();
    if (event.type === 'receipt' && event.receipt.status !== 'running') break;
  }
  leaving.abort();
  return events;
}
