/** Checks what is sent for a message of `useChat`, from where its turn is followed, and how its stream ends. */
import { Output } from '@truecast/core/internal/output/output';
import type { UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsOf, receiptOf, refusalOf, testChat, chatViewOf, type TestChat } from '../test-chat.ts';
import type { ChatStreamEvent } from '../wire/stream-event.ts';
import { askedEvent, finishOf, saidEvent, START, statusEvent, stepOf, turnRow } from './test-turn.ts';
import { resumeUIMessageStream, uiMessageStream } from './ui-message-stream.ts';
import type { TruecastChunk } from './ui-message.ts';

const hello: UIMessage = { id: 'm 1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const TURN = [askedEvent(3), saidEvent(4, { finish_reason: 'stop' }), statusEvent('waiting')];
const CHUNKS = [START, ...stepOf('4-0'), finishOf('stop')];
const sentRow = { message: turnRow(3, 'user', []) };
const output = Output.object({ schema: z.object({ n: z.number().max(7) }) });

async function chunksOf(stream: ReadableStream<TruecastChunk> | null): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return chunks;
}

const callsOf = ({ calls }: TestChat, name: string): unknown[] =>
  calls.filter(([called]) => called === name).map(([, ...values]) => values);

describe('a message of the user', () => {
  it('is sent to a new chat, whose turn is followed from its beginning', async () => {
    const fake = testChat({ send: sentRow, read: chatViewOf(), events: TURN });
    expect(await chunksOf(await uiMessageStream(fake.chat, hello))).toEqual(CHUNKS);
    expect(fake.calls.map(([name]) => name)).toEqual(['send', 'read', 'events']);
    expect(callsOf(fake, 'send')).toEqual([
      [{ content: [{ type: 'text', text: 'Hi' }], client_id: 'm%201', busy_behavior: 'queue' }],
    ]);
    expect(callsOf(fake, 'events')).toMatchObject([[{ lastEventId: '0' }]]);
  });

  it('is sent to an existing chat, whose turn is followed from there', async () => {
    const fake = testChat({ id: 'chat', send: sentRow, read: chatViewOf(), events: TURN });
    expect(await chunksOf(await uiMessageStream(fake.chat, hello))).toEqual(CHUNKS);
    expect(fake.calls.map(([name]) => name)).toEqual(['read', 'send', 'events']);
    expect(callsOf(fake, 'events')).toMatchObject([[{ lastEventId: '5' }]]);
  });

  it('interrupts a turn that waits for outputs of tools', async () => {
    const read = chatViewOf({ status: 'requires_action' });
    const fake = testChat({ id: 'chat', send: sentRow, read, events: TURN });
    await uiMessageStream(fake.chat, hello);
    expect(callsOf(fake, 'send')).toMatchObject([[{ busy_behavior: 'interrupt' }]]);
  });

  it('can wait in the queue until a row with its id follows', async () => {
    const send = { queued_message: { id: 8, client_id: 'm%201' } };
    const events = [
      askedEvent(2, { client_id: 'other' }),
      askedEvent(3, { client_id: 'm%201' }),
      ...TURN.slice(1),
    ];
    const fake = testChat({ send, read: chatViewOf(), events });
    expect(await chunksOf(await uiMessageStream(fake.chat, hello))).toEqual(CHUNKS);
  });

  it('fails if the server says no position', async () => {
    const fake = testChat({ send: {}, read: chatViewOf() });
    await expect(uiMessageStream(fake.chat, hello)).rejects.toMatchObject({ code: 'invalid-response' });
  });

  it('replaces a message and what follows it', async () => {
    const fake = testChat({ id: 'chat', read: chatViewOf(), edit: sentRow, events: TURN });
    const mine = { ...hello, id: 'user-3' };
    expect(await chunksOf(await uiMessageStream(fake.chat, mine, { replaces: true }))).toEqual(CHUNKS);
    expect(callsOf(fake, 'edit')).toEqual([
      [3, { content: [{ type: 'text', text: 'Hi' }], client_id: 'user-3' }],
    ]);
    expect(callsOf(fake, 'send')).toEqual([]);
  });

  it('is sent if the message to replace never arrived', async () => {
    const edit = (): Promise<never> => Promise.reject(refusalOf('message_not_found'));
    const fake = testChat({ id: 'chat', read: chatViewOf(), edit, send: sentRow, events: TURN });
    await uiMessageStream(fake.chat, hello, { replaces: true });
    expect(callsOf(fake, 'edit')).toMatchObject([['~m%25201', {}]]);
    expect(callsOf(fake, 'send')).toHaveLength(1);
    const fresh = testChat({ send: sentRow, read: chatViewOf(), edit, events: TURN });
    await uiMessageStream(fresh.chat, hello, { replaces: true });
    expect(callsOf(fresh, 'edit')).toEqual([]);
  });

  it('is not sent again after another refusal', async () => {
    const refusal = refusalOf('forbidden');
    const edit = (): Promise<never> => Promise.reject(refusal);
    const fake = testChat({ id: 'chat', read: chatViewOf(), edit, send: sentRow });
    await expect(uiMessageStream(fake.chat, hello, { replaces: true })).rejects.toBe(refusal);
    expect(callsOf(fake, 'send')).toEqual([]);
  });

  it.each([
    ['of the assistant without outputs', { ...hello, role: 'assistant' }, 'got one of the assistant'],
    ['of the system', { ...hello, role: 'system' }, 'got one of the system'],
    ['without contents', { ...hello, parts: [] }, 'got neither'],
    ['without parts', { id: '1', role: 'user' }, '`message.parts`'],
    ['with a part that is no object', { ...hello, parts: ['Hi'] }, '`message.parts`'],
    ['without a role', { id: '1', parts: [] }, '`message.role`'],
    ['that is none', undefined, '`message`'],
  ])('is refused before anything is sent: one %s', async (_name, message, said) => {
    const fake = testChat({ read: chatViewOf(), send: sentRow });
    await expect(uiMessageStream(fake.chat, message as UIMessage)).rejects.toThrow(said);
    expect(fake.calls).toEqual([]);
  });

  it.each([
    ['no chat', undefined, '`chat`'],
    ['a chat without a method', { read: () => 0, send: () => 0 }, '`chat.messages`'],
  ])('is refused for %s', async (_name, chat, said) => {
    await expect(uiMessageStream(chat as never, hello)).rejects.toThrow(said);
    await expect(resumeUIMessageStream(chat as never)).rejects.toThrow(said);
  });

  it('is refused for options of another kind', async () => {
    const { chat } = testChat({});
    await expect(uiMessageStream(chat, hello, 'x' as never)).rejects.toThrow('`options`');
    await expect(resumeUIMessageStream(chat, 'x' as never)).rejects.toThrow('`options`');
  });
});

describe('an answer of a stream', () => {
  const receiptEvent = (more: object = {}): ChatStreamEvent => ({
    type: 'receipt',
    receipt: receiptOf(more),
  });
  const playTyped = async (events: readonly ChatStreamEvent[]): Promise<unknown[]> => {
    const fake = testChat({ send: { ...sentRow, request_id: 'r' }, read: chatViewOf(), events });
    return chunksOf(await uiMessageStream(fake.chat, hello, { output }));
  };

  it('is requested with its format and limits', async () => {
    const fake = testChat({ send: sentRow, read: chatViewOf(), events: TURN });
    const limits = { max_attempts: 3 } as never;
    await uiMessageStream(fake.chat, hello, { output, name: 'count', limits });
    expect(callsOf(fake, 'send')).toMatchObject([
      [{ limits, response_format: { json_schema: { name: 'count' } } }],
    ]);
  });

  it('has the value that its schema accepted', async () => {
    const chunks = await playTyped([...TURN.slice(0, 2), receiptEvent(), statusEvent('waiting')]);
    expect(chunks.at(-2)).toEqual({ type: 'data-receipt', id: 'r', data: receiptOf() });
  });

  it('ends the stream with an error if its schema does not accept the value', async () => {
    const more = { value: { n: 8 }, value_text: '{"n":8}' };
    const chunks = await playTyped([...TURN.slice(0, 2), receiptEvent(more), statusEvent('waiting')]);
    expect(chunks.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('at n:') });
    expect(chunks).not.toContainEqual(expect.objectContaining({ type: 'finish' }));
  });

  it('keeps a receipt of a request that failed', async () => {
    const failed = { status: 'failed', value: undefined, error: { code: 'max_attempts', message: 'no' } };
    const chunks = await playTyped([...TURN.slice(0, 2), receiptEvent(failed), statusEvent('waiting')]);
    expect(chunks.at(-2)).toMatchObject({ type: 'data-receipt', data: failed });
  });
});

describe('outputs of the tools of a page', () => {
  const withOutput: UIMessage = {
    id: 'answer-3',
    role: 'assistant',
    metadata: { awaiting: ['c'], cursor: 'e9' },
    parts: [
      { type: 'data-refused', data: {} },
      { type: 'step-start' },
      { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: {}, output: 'seen' },
    ],
  };
  const events = [saidEvent(5, { finish_reason: 'stop' }), statusEvent('waiting')];

  it('are submitted, and the answer continues under its id from its cursor', async () => {
    const fake = testChat({ id: 'chat', read: chatViewOf(), submitToolResults: chatViewOf(), events });
    const chunks = await chunksOf(await uiMessageStream(fake.chat, withOutput));
    expect(chunks).toEqual([START, ...stepOf('5-0'), finishOf('stop')]);
    expect(callsOf(fake, 'submitToolResults')).toEqual([[[{ tool_call_id: 'c', output: 'seen' }]]]);
    expect(callsOf(fake, 'events')).toMatchObject([[{ lastEventId: 'e9' }]]);
  });

  it('continue from the version of the chat without a cursor', async () => {
    const fake = testChat({ id: 'chat', read: chatViewOf(), submitToolResults: chatViewOf(), events });
    await chunksOf(await uiMessageStream(fake.chat, { ...withOutput, metadata: { awaiting: ['c'] } }));
    expect(callsOf(fake, 'events')).toMatchObject([[{ lastEventId: '5' }]]);
  });

  it('can have been submitted by another page, and other refusals are thrown', async () => {
    const refused = (code: string): TestChat =>
      testChat({
        id: 'chat',
        read: chatViewOf(),
        submitToolResults: () => Promise.reject(refusalOf(code)),
        events,
      });
    const chunks = await chunksOf(await uiMessageStream(refused('not_allowed').chat, withOutput));
    expect(chunks.at(-1)).toEqual(finishOf('stop'));
    await expect(uiMessageStream(refused('forbidden').chat, withOutput)).rejects.toThrow('forbidden');
  });

  it('count the refusals before them, and show the receipt of the running request', async () => {
    const attempt = { code: 'invalid', issues: [] } as never;
    const receipt = receiptOf();
    const fake = testChat({
      id: 'chat',
      read: chatViewOf({ request_id: 'r' }),
      submitToolResults: chatViewOf(),
      events: [saidEvent(5, { attempt }), { type: 'receipt', receipt }, statusEvent('waiting')],
    });
    const chunks = await chunksOf(await uiMessageStream(fake.chat, withOutput));
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: 'data-refused', data: expect.objectContaining({ number: 2 }) }),
    );
    expect(chunks).toContainEqual({ type: 'data-receipt', id: 'r', data: receipt });
  });
});

describe('a turn that is joined', () => {
  const row = turnRow(3, 'user', [], { request_id: 'r' });

  it.each(['running', 'interrupting', 'requires_action'] as const)(
    'is followed from its beginning while the chat is %s',
    async (status) => {
      const messages = { messages: [row, turnRow(4, 'assistant', [])], has_more: false };
      const fake = testChat({ id: 'chat', read: chatViewOf({ status }), messages, events: TURN.slice(1) });
      expect(await chunksOf(await resumeUIMessageStream(fake.chat))).toEqual(CHUNKS);
      expect(callsOf(fake, 'events')).toMatchObject([[{ lastEventId: '4' }]]);
      expect(callsOf(fake, 'messages')).toEqual([[{ limit: 200 }]]);
    },
  );

  it.each(['waiting', 'error'] as const)('does not exist while the chat is %s', async (status) => {
    const fake = testChat({ id: 'chat', read: chatViewOf({ status }) });
    expect(await resumeUIMessageStream(fake.chat)).toBeNull();
    expect(fake.calls).toHaveLength(1);
  });

  it('is found behind many rows of the assistant', async () => {
    const pages = [
      { messages: [turnRow(40, 'assistant', []), turnRow(41, 'tool', [])], has_more: true },
      { messages: [turnRow(2, 'user', []), row, turnRow(4, 'assistant', [])], has_more: true },
    ];
    const read = chatViewOf({ status: 'running' });
    const fake = testChat({ id: 'chat', read, messages: () => pages.shift(), events: TURN.slice(1) });
    expect(await chunksOf(await resumeUIMessageStream(fake.chat))).toMatchObject([
      { messageId: 'answer-3' },
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
    expect(callsOf(fake, 'messages')).toEqual([[{ limit: 200 }], [{ limit: 200, before: 40 }]]);
  });

  it('does not exist without a message of the user', async () => {
    const messages = { messages: [turnRow(1, 'assistant', [])], has_more: false };
    const fake = testChat({ id: 'chat', read: chatViewOf({ status: 'running' }), messages });
    expect(await resumeUIMessageStream(fake.chat)).toBeNull();
  });

  it('runs the tools of the page again only as the server waits for them', async () => {
    const call = { type: 'tool_call', tool_call_id: 'c', tool_name: 'look', args: '{}' } as const;
    const said: ChatStreamEvent = { type: 'message', message: turnRow(4, 'assistant', [call]) };
    const messages = { messages: [row], has_more: false };
    const tools = [{ name: 'look', input_schema: {} }];
    const fake = testChat({
      id: 'chat',
      read: chatViewOf({ status: 'running', tools }),
      messages,
      events: [said, statusEvent('waiting')],
    });
    const chunks = await chunksOf(await resumeUIMessageStream(fake.chat));
    expect(chunks).toContainEqual({ type: 'tool-input-start', toolCallId: 'c', toolName: 'look' });
    expect(chunks).not.toContainEqual(expect.objectContaining({ type: 'tool-input-available' }));
  });
});

describe('the end of a stream', () => {
  /** Begins a turn that goes on until it is stopped. */
  function running(): TestChat {
    return testChat({
      send: sentRow,
      read: chatViewOf(),
      interrupt: chatViewOf(),
      events: async function* ({ signal }: { readonly signal: AbortSignal }) {
        yield* eventsOf([askedEvent(3)]);
        await new Promise((resolve) => {
          if (signal.aborted) resolve(undefined);
          else signal.addEventListener('abort', resolve);
        });
        signal.throwIfAborted();
      },
    });
  }

  it.each([
    ['ends the turn too', {}, 1],
    ['leaves the turn running', { stopEndsTurn: false }, 0],
  ])('by its signal %s', async (_what, options, interrupts) => {
    const controller = new AbortController();
    const fake = running();
    const stream = await uiMessageStream(fake.chat, hello, { ...options, signal: controller.signal });
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(START);
    const next = reader.read();
    controller.abort('stop');
    expect(await next).toEqual({ done: false, value: { type: 'abort' } });
    expect((await reader.read()).done).toBe(true);
    expect(callsOf(fake, 'interrupt')).toHaveLength(interrupts);
  });

  it('comes at once by a signal that was aborted before', async () => {
    const fake = running();
    const stream = await uiMessageStream(fake.chat, hello, { signal: AbortSignal.abort('before') });
    expect(callsOf(fake, 'interrupt')).toHaveLength(1);
    const reader = stream.getReader();
    await reader.cancel();
  });

  it('by a reader that leaves lets the turn run, also after a later abort', async () => {
    const controller = new AbortController();
    const fake = running();
    const stream = await uiMessageStream(fake.chat, hello, { signal: controller.signal });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    controller.abort('late');
    expect(callsOf(fake, 'interrupt')).toEqual([]);
  });

  it('by the end of the turn lets a later abort end nothing', async () => {
    const controller = new AbortController();
    const fake = testChat({ send: sentRow, read: chatViewOf(), interrupt: chatViewOf(), events: TURN });
    await chunksOf(await uiMessageStream(fake.chat, hello, { signal: controller.signal }));
    controller.abort('late');
    expect(callsOf(fake, 'interrupt')).toEqual([]);
  });

  it('by a failure is an error of the stream', async () => {
    const events = async function* () {
      yield* eventsOf([askedEvent(3)]);
      throw new TypeError('lost');
    };
    const fake = testChat({ send: sentRow, read: chatViewOf(), events });
    await expect(chunksOf(await uiMessageStream(fake.chat, hello))).rejects.toThrow('lost');
  });

  it('comes with the turn: later events are not read', async () => {
    let count = 0;
    const events = async function* () {
      for (const event of [...TURN, askedEvent(9), statusEvent('waiting')]) {
        count += 1;
        yield { event };
      }
    };
    const fake = testChat({ send: sentRow, read: chatViewOf(), events });
    await chunksOf(await uiMessageStream(fake.chat, hello));
    expect(count).toBe(TURN.length);
  });
});
