/**
 * Client of one chat's stream that only counts: the received messages, and the time of the awaited
 * receipt.
 */
import { request, Agent, type IncomingMessage } from 'node:http';
import type { ChatHostReply } from './chat-host.ts';

/** An open stream. */
export interface CountedStream {
  /** Ids of the received messages, including duplicates. */
  readonly messageIds: readonly number[];
  /** Number of received events of every kind. */
  readonly events: number;
  /** Resolves at the receipt of a request that ended. */
  ended(requestId: string): Promise<void>;
  close(): void;
}

const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/** Opens the stream of a chat from its start. Resolves once the server answers. */
export async function countStream({ url, token }: ChatHostReply, chatId: string): Promise<CountedStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${token}` };
  const asked = request(`${url}/api/chats/${chatId}/stream`, { agent, headers }, resolve);
  asked.on('error', reject).end();
  const response = await promise;
  if (response.statusCode !== 200) throw new Error(`A stream was answered with ${response.statusCode}.`);
  const state = { messageIds: [] as number[], events: 0 };
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (id: string): PromiseWithResolvers<void> => {
    const end = ends.get(id) ?? Promise.withResolvers<void>();
    ends.set(id, end);
    return end;
  };
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      state.events += 1;
      const event = JSON.parse(line.slice(6)) as StreamedEvent; // The documented event format.
      if (event.type === 'message' && event.message !== undefined) state.messageIds.push(event.message.id);
      if (event.type === 'receipt' && event.receipt?.status === 'succeeded') {
        endOf(event.receipt.request_id).resolve();
      }
    }
  });
  return {
    messageIds: state.messageIds,
    get events() {
      return state.events;
    },
    ended: (requestId) => endOf(requestId).promise,
    close: () => asked.destroy(),
  };
}

interface StreamedEvent {
  readonly type: string;
  readonly message?: { readonly id: number };
  readonly receipt?: { readonly request_id: string; readonly status: string };
}
