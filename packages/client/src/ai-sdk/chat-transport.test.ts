/** Checks which chat a transport of `useChat` opens, creates, sends to and joins. */
import type { UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ClientChat, ClientChatOptions } from '../client-chat.ts';
import type { Client } from '../create-client.ts';
import { refusalOf, testChat, chatViewOf, type TestChat } from '../test-chat.ts';
import { createChatTransport } from './chat-transport.ts';
import { askedEvent, saidEvent, statusEvent, turnRow } from './test-turn.ts';

const user = (id: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text: 'Hi' }] });
const TURN = [askedEvent(3), saidEvent(4), statusEvent('waiting')];

interface Opened {
  readonly options: ClientChatOptions;
  readonly fake: TestChat;
}

/** A client that remembers the chats that are opened. `known` are the addresses on the server. */
function clientOf(known: readonly string[] = [], more: object = {}): { client: Client; opened: Opened[] } {
  const opened: Opened[] = [];
  const chat = (options: ClientChatOptions = {}): ClientChat => {
    const { id } = options;
    const isMissing = id !== undefined && id !== 'server-id' && !known.includes(id);
    const fake = testChat({
      id: id === undefined ? undefined : 'server-id',
      read: () =>
        isMissing
          ? Promise.reject(refusalOf('chat_not_found'))
          : chatViewOf({ id: 'server-id', status: 'running' }),
      send: { message: turnRow(3, 'user', []) },
      edit: { message: turnRow(3, 'user', []) },
      messages: { messages: [turnRow(3, 'user', [])], has_more: false },
      interrupt: chatViewOf(),
      events: TURN,
      ...more,
    });
    opened.push({ options, fake });
    return fake.chat;
  };
  return { client: { chat } as unknown as Client, opened };
}

type Sending = Partial<Parameters<ReturnType<typeof createChatTransport>['sendMessages']>[0]>;

const sending = (more: Sending = {}) => ({
  trigger: 'submit-message' as const,
  chatId: 'page 1',
  messageId: undefined,
  messages: [user('1')] as never[],
  abortSignal: undefined,
  ...more,
});

const reject = (error: Error) => async (): Promise<never> => {
  throw error;
};
const addresses = (opened: readonly Opened[]): unknown[] =>
  opened.map(({ options }) => options.id ?? options.clientId);
const callNames = (opened: readonly Opened[]): string[] =>
  opened.flatMap(({ fake }) => fake.calls.map(([name]) => name));

describe('the first message', () => {
  it('creates a chat with the settings of the transport, without looking for one', async () => {
    const { client, opened } = clientOf();
    const settings = { model: 'm', title: 't', systemPrompt: 's', labels: { team: 'a' } };
    const look = { description: 'Looks.', inputSchema: z.object({ at: z.number() }) };
    await createChatTransport(client, { ...settings, tools: { look } }).sendMessages(sending() as never);
    expect(opened).toHaveLength(1);
    const { tools, ...rest } = opened[0]!.options;
    expect(rest).toEqual({ clientId: 'page%201', ...settings });
    expect(tools?.['look']).toMatchObject(look);
    // `useChat` runs it.
    expect(tools?.['look']?.execute({ at: 1 }, {} as never)).toBeUndefined();
    expect(callNames(opened)).toEqual(['send', 'read', 'events']);
  });

  it('creates a chat without settings', async () => {
    const { client, opened } = clientOf();
    await createChatTransport(client).sendMessages(sending());
    expect(opened[0]?.options).toEqual({ clientId: 'page%201' });
  });

  it('is sent to the chat that has the id already', async () => {
    const taken = clientOf(['~page%201'], {
      send: () => {
        throw refusalOf('client_id_taken');
      },
    });
    const sent = createChatTransport(taken.client).sendMessages(sending());
    await expect(sent).rejects.toThrow('client_id_taken');
    // The one that was created, the one that was found, and the one by its own id.
    expect(addresses(taken.opened)).toEqual(['page%201', '~page%201', 'server-id']);
  });

  it.each([refusalOf('forbidden'), new TypeError('broken')])('throws another failure: %s', async (error) => {
    const { client, opened } = clientOf(['~page%201'], { send: reject(error) });
    await expect(createChatTransport(client).sendMessages(sending())).rejects.toBe(error);
    expect(opened).toHaveLength(1);
  });

  it('is expected', async () => {
    const sent = createChatTransport(clientOf().client).sendMessages(sending({ messages: [] }));
    await expect(sent).rejects.toThrow('got an empty list');
  });
});

describe('a later message', () => {
  const messages = [user('1'), user('2')] as never[];

  it('is sent to the chat that the transport has created', async () => {
    const { client, opened } = clientOf();
    const transport = createChatTransport(client);
    await transport.sendMessages(sending());
    await transport.sendMessages(sending({ messages }));
    await transport.sendMessages(sending());
    expect(opened).toHaveLength(1);
    expect(callNames(opened).filter((name) => name === 'send')).toHaveLength(3);
  });

  it.each([
    ['the client id of a chat', ['~page%201'], ['~page%201', 'server-id']],
    ['the id of a chat on the server', ['page 1'], ['~page%201', 'page 1', 'server-id']],
    ['no chat: it creates one', [], ['~page%201', 'page 1', 'page%201']],
  ])('is sent where the id is %s', async (_what, known, expected) => {
    const { client, opened } = clientOf(known);
    await createChatTransport(client).sendMessages(sending({ messages }));
    expect(addresses(opened)).toEqual(expected);
    expect(opened.at(-1)?.fake.calls.map(([name]) => name)).toContain('send');
  });

  it('opens a chat once for two calls at the same time', async () => {
    const { client, opened } = clientOf(['~page%201']);
    const transport = createChatTransport(client);
    await Promise.all([
      transport.sendMessages(sending({ messages })),
      transport.sendMessages(sending({ messages })),
    ]);
    const senders = opened.filter(({ fake }) => fake.calls.some(([name]) => name === 'send'));
    expect(senders).toHaveLength(1);
  });

  it('throws a failure to look for the chat', async () => {
    const { client } = clientOf([], { read: reject(refusalOf('forbidden')) });
    await expect(createChatTransport(client).sendMessages(sending({ messages }))).rejects.toThrow(
      'forbidden',
    );
  });

  it.each([
    ['replaces the message for a regeneration', { trigger: 'regenerate-message' } as const, 'edit'],
    ['replaces the message that was edited', { messageId: '2' }, 'edit'],
    ['adds a message', {}, 'send'],
  ])('%s', async (_what, more, method) => {
    const { client, opened } = clientOf(['~page%201']);
    await createChatTransport(client).sendMessages(sending({ messages, ...more }));
    const names = callNames(opened);
    expect([names.includes('edit'), names.includes('send')]).toEqual([method === 'edit', method === 'send']);
  });

  it('is ended by the signal of the call', async () => {
    const { client, opened } = clientOf(['~page%201']);
    const abortSignal = AbortSignal.abort('stop');
    await createChatTransport(client).sendMessages(sending({ messages, abortSignal }));
    expect(callNames(opened)).toContain('interrupt');
  });
});

describe('a reload of the page', () => {
  it('joins the running turn of the chat', async () => {
    const { client } = clientOf(['~page%201']);
    const transport = createChatTransport(client);
    const stream = await transport.reconnectToStream({ chatId: 'page 1' });
    const chunks: unknown[] = [];
    for await (const chunk of stream ?? []) chunks.push(chunk);
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'finish' }));
    expect(transport).toHaveProperty('resumeStreamIsReplay', true);
  });

  it('joins nothing where no chat has the id', async () => {
    const { client, opened } = clientOf();
    expect(await createChatTransport(client).reconnectToStream({ chatId: 'page 1' })).toBeNull();
    expect(callNames(opened)).toEqual(['read', 'read']);
  });

  it('is ended by the signal of the call', async () => {
    const { client, opened } = clientOf(['~page%201']);
    await createChatTransport(client).reconnectToStream({
      chatId: 'page 1',
      abortSignal: AbortSignal.abort('stop'),
    });
    expect(callNames(opened)).toContain('interrupt');
  });
});

it.each([
  ['no client', undefined, undefined, '`client`'],
  ['something else', {}, undefined, '`client.chat`'],
  ['options of another kind', clientOf().client, 'x', '`options`'],
  ['tools of another kind', clientOf().client, { tools: 'x' }, '`tools`'],
])('is not made for %s', (_name, client, options, said) => {
  expect(() => createChatTransport(client as Client, options as never)).toThrow(said);
});
