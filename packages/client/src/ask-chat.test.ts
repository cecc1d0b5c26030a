/** Checks what a question sends, how it follows its chat, and how it ends. */
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { Output } from '@truecast/core/internal/output/output';
import { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askChat, toAskPromise, type FeedOfLoop } from './ask-chat.ts';
import type { AskOptions } from './client-chat.ts';
import { tool, type ClientTools } from './client-tools.ts';
import { eventsOf, receiptOf, refusalOf, testChat, chatViewOf, type TestChat } from './test-chat.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

const output = Output.object({ schema: z.object({ n: z.number() }) });
const NO_LOOP: FeedOfLoop = { left: new AbortController().signal, feed: () => undefined };
const SENT = { chatId: 'chat', request_id: 'r' };
const final: ChatStreamEvent = { type: 'receipt', receipt: receiptOf() };

interface Asked {
  readonly tools?: ClientTools;
  readonly elements?: FeedOfLoop;
}

const ask = (
  { chat }: TestChat,
  more: Partial<AskOptions<typeof output>> = {},
  { tools = {}, elements = NO_LOOP }: Asked = {},
): ReturnType<typeof askChat<typeof output>> =>
  askChat(chat, tools, { prompt: 'How many?', output, ...more }, elements);

const partial = (request_id: string, value: unknown): ChatStreamEvent => ({
  type: 'partial',
  request_id,
  value,
  is_validated: false,
});
const message = (id: number, role: 'assistant' | 'user', more: object = {}): ChatStreamEvent =>
  ({
    type: 'message',
    message: { id, chat_id: 'chat', role, content: [], is_compressed: false, ...more },
  }) as never;
const action = (...calls: readonly (readonly [string, string, string])[]): ChatStreamEvent => ({
  type: 'action_required',
  tool_calls: calls.map(([tool_call_id, tool_name, args]) => ({ tool_call_id, tool_name, args })),
});

describe('a question that only waits', () => {
  it('sends the prompt with its format, and reads the receipt until it is final', async () => {
    const receipts = [receiptOf({ status: 'running' }), receiptOf()];
    const { chat, calls } = testChat({ send: SENT, request: () => receipts.shift() });
    const result = await ask({ chat, calls });
    expect(result).toEqual({ output: { n: 7 }, receipt: receiptOf(), chatId: 'chat', requestId: 'r' });
    expect(calls.map(([name]) => name)).toEqual(['send', 'request', 'request']);
    expect(calls[0]?.[1]).toEqual({
      content: 'How many?',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: expect.objectContaining({ type: 'object' }) },
      },
    });
    expect(calls[1]?.slice(1)).toEqual(['r', { waitMs: 30_000, signal: NO_LOOP.left }]);
  });

  it('sends limits, the behaviour of a busy chat, and names', async () => {
    const { chat, calls } = testChat({ send: SENT, request: receiptOf() });
    const limits = { max_attempts: 2 } as never;
    await ask({ chat, calls }, { limits, busyBehavior: 'interrupt', name: 'count', description: 'A count.' });
    expect(calls[0]?.[1]).toMatchObject({
      limits,
      busy_behavior: 'interrupt',
      response_format: { json_schema: { name: 'count', description: 'A count.' } },
    });
  });

  it('is refused before anything is sent if an option is unknown', async () => {
    const fake = testChat({ send: SENT });
    await expect(ask(fake, { schema: 1 } as never)).rejects.toThrow('output: Output.object({ schema })');
    await expect(ask(fake, { onPartials: 1 } as never)).rejects.toThrow('onPartial');
    expect(fake.calls).toEqual([]);
  });

  it('fails if the server makes no request of it', async () => {
    const asked = ask(testChat({ send: { chatId: 'chat' } }));
    await expect(asked).rejects.toMatchObject({ name: 'ServerError', code: 'invalid-response' });
  });

  it('is ended by its own signal and by that of its loop', async () => {
    for (const which of ['own', 'loop'] as const) {
      const controller = new AbortController();
      let given: AbortSignal | undefined;
      const fake = testChat({
        send: SENT,
        request: (_id: string, { signal }: { readonly signal: AbortSignal }) => {
          given = signal;
          controller.abort(which);
          signal.throwIfAborted();
        },
      });
      const elements = which === 'loop' ? { ...NO_LOOP, left: controller.signal } : NO_LOOP;
      const own = which === 'own' ? { signal: controller.signal } : {};
      await expect(ask(fake, own, { elements })).rejects.toBe(which);
      expect(given?.aborted).toBe(true);
    }
  });

  it('refuses a rounded number unless the caller accepts it', async () => {
    const rounded = receiptOf({ value: { n: 9007199254740992 }, value_text: '{"n":9007199254740993}' });
    const fake = testChat({ send: SENT, request: rounded });
    await expect(ask(fake)).rejects.toMatchObject({ code: 'schema-mismatch' });
    expect(await ask(fake, { acceptsRounding: true })).toMatchObject({ output: { n: 9007199254740992 } });
  });
});

describe('a question that follows its chat', () => {
  it('begins behind what an existing chat has, and at the beginning of a new one', async () => {
    for (const [id, since] of [
      ['chat', '5'],
      [undefined, '0'],
    ] as const) {
      const { chat, calls } = testChat({ id, read: chatViewOf(), send: SENT, events: [final] });
      await ask({ chat, calls }, { onEvent: () => undefined });
      const names = calls.map(([name]) => name);
      expect(names).toEqual(id === undefined ? ['send', 'events'] : ['read', 'send', 'events']);
      expect(calls.at(-1)?.[1]).toMatchObject({ lastEventId: since });
    }
  });

  it('reports each event, the growing value of its own request, and no bare beginning', async () => {
    const events = [
      partial('other', { n: 1 }),
      partial('r', {}),
      partial('r', { n: 7 }),
      { type: 'receipt', receipt: receiptOf({ request_id: 'other' }) } as const,
      { type: 'receipt', receipt: receiptOf({ status: 'running' }) } as const,
      final,
      message(9, 'user'),
    ];
    const seen: unknown[] = [];
    const values: unknown[] = [];
    const fake = testChat({ send: SENT, events });
    const result = await ask(fake, {
      onEvent: (event) => seen.push(event),
      onPartial: (value) => values.push(value),
    });
    expect(result.output).toEqual({ n: 7 });
    expect(seen).toEqual(events.slice(0, 6));
    expect(values).toEqual([{ n: 7 }]);
  });

  it('takes the value of a list out of its wrapper', async () => {
    const list = Output.array({ element: z.number() });
    const values: unknown[] = [];
    const receipt = receiptOf({ value: { value: [1] }, value_text: '{"value":[1]}' });
    const { chat } = testChat({
      send: SENT,
      events: [partial('r', { value: [1] }), { type: 'receipt', receipt }],
    });
    const options = { prompt: 'p', output: list, onPartial: (value: unknown) => values.push(value) };
    expect((await askChat(chat, {}, options, NO_LOOP)).output).toEqual([1]);
    expect(values).toEqual([[1]]);
  });

  it('reports the refused attempts of its own request', async () => {
    const attempt = { code: 'invalid', issues: [{ path: '/n', rule: 'Expected number' }] };
    const refused = message(2, 'assistant', { attempt, content: [{ type: 'text', text: '{"n":"x"}' }] });
    const seen: unknown[] = [];
    const events = [refused, message(1, 'user', { request_id: 'r' }), refused, final];
    await ask(testChat({ send: SENT, events }), { onAttempt: (one) => seen.push(one) });
    expect(seen).toEqual([
      {
        number: 1,
        code: 'invalid',
        issues: [{ path: '/n', rule: 'Expected number', got: '"x"' }],
        draft: { n: 'x' },
      },
    ]);
  });

  it('gives elements to the loop that has begun, of its own request', async () => {
    const given: unknown[] = [];
    const list = Output.array({ element: z.number() });
    const feed = new ElementFeed(list, {
      put: (value) => given.push(value),
      end: () => undefined,
      fail: (error) => given.push(error),
    });
    const piece = (request_id: string, delta: string): ChatStreamEvent => ({
      type: 'part',
      kind: 'tool_call',
      request_id,
      offset: 0,
      delta,
    });
    const receipt = receiptOf({ value: { value: [1, 2] }, value_text: '{"value":[1,2]}' });
    const { chat } = testChat({
      send: SENT,
      events: [
        piece('other', '{"output":{"value":[8,9,'),
        piece('r', '{"output":{"value":[1,2,'),
        { type: 'receipt', receipt },
      ],
    });
    await askChat(chat, {}, { prompt: 'p', output: list }, { ...NO_LOOP, feed: () => feed });
    expect(given).toEqual([1]);
  });

  it('reads the receipt if the stream ends without one', async () => {
    const { chat, calls } = testChat({ send: SENT, events: [], request: receiptOf() });
    expect((await ask({ chat, calls }, { onEvent: () => undefined })).output).toEqual({ n: 7 });
    expect(calls.at(-1)).toEqual(['request', 'r']);
  });

  it('reads the receipt of a chat that was deleted, and throws other failures', async () => {
    const failing = (error: Error) =>
      async function* () {
        yield* eventsOf([]);
        throw error;
      };
    const onEvent = (): void => undefined;
    const gone = testChat({ send: SENT, events: failing(refusalOf('chat_not_found')), request: receiptOf() });
    expect((await ask(gone, { onEvent })).output).toEqual({ n: 7 });
    for (const error of [refusalOf('unauthorized'), new TypeError('broken')]) {
      const failed = testChat({ send: SENT, events: failing(error), request: receiptOf() });
      await expect(ask(failed, { onEvent })).rejects.toBe(error);
    }
  });

  it('stops following at its end, and throws the reason of an abort', async () => {
    const signals: AbortSignal[] = [];
    const controller = new AbortController();
    const events = async function* ({ signal }: { readonly signal: AbortSignal }) {
      signals.push(signal);
      yield* eventsOf([partial('r', { n: 1 }), final]);
    };
    await ask(testChat({ send: SENT, events }), { onEvent: () => undefined });
    expect(signals[0]?.aborted).toBe(true);
    const stopped = ask(testChat({ send: SENT, events }), {
      signal: controller.signal,
      onEvent: () => {
        controller.abort('stop');
        throw new TypeError('ended by the abort');
      },
    });
    await expect(stopped).rejects.toBe('stop');
  });
});

describe('the tools of a question', () => {
  const ran: unknown[] = [];
  const tools: ClientTools = {
    look: tool({
      inputSchema: z.object({ at: z.number() }),
      execute: (input) => {
        ran.push(input);
        return 'seen';
      },
    }),
  };
  /** Yields the events, and the receipt after as many submissions. */
  function chatWith(events: readonly ChatStreamEvent[], submit: () => unknown, waitsFor: number): TestChat {
    ran.length = 0;
    const done = Promise.withResolvers<void>();
    let count = 0;
    return testChat({
      send: SENT,
      submitToolResults: () => {
        count += 1;
        if (count === waitsFor) done.resolve();
        return submit();
      },
      events: async function* () {
        yield* eventsOf(events);
        if (waitsFor > 0) await done.promise;
        yield* eventsOf([final]);
      },
    });
  }
  const submissions = ({ calls }: TestChat): unknown[] =>
    calls.filter(([name]) => name === 'submitToolResults').map(([, results]) => results);

  it('run once for a wait that is reported again, and again in a later step', async () => {
    const wait = action(['c', 'look', '{"at":1}']);
    const fake = chatWith(
      [message(2, 'assistant'), wait, wait, message(3, 'assistant'), wait],
      () => chatViewOf(),
      2,
    );
    await ask(fake, {}, { tools });
    expect(ran).toEqual([{ at: 1 }, { at: 1 }]);
    expect(submissions(fake)).toEqual([
      [{ tool_call_id: 'c', output: 'seen' }],
      [{ tool_call_id: 'c', output: 'seen' }],
    ]);
  });

  it('run again for other arguments, and not for a message of the user between', async () => {
    const events = [
      message(2, 'assistant'),
      action(['c', 'look', '{"at":1}']),
      message(3, 'user'),
      action(['c', 'look', '{"at":1}']),
      action(['c', 'look', '{"at":2}']),
    ];
    await ask(
      chatWith(events, () => chatViewOf(), 2),
      {},
      { tools },
    );
    expect(ran).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it('leave calls to another client that has their tools', async () => {
    const fake = chatWith([action(['c', 'look', '{"at":1}'], ['d', 'other', '{}'])], () => chatViewOf(), 0);
    await ask(fake, {}, { tools });
    expect([ran, submissions(fake)]).toEqual([[], []]);
  });

  it('can be answered by another client first', async () => {
    const fake = chatWith(
      [action(['c', 'look', '{"at":1}'])],
      () => Promise.reject(refusalOf('not_allowed')),
      1,
    );
    expect((await ask(fake, {}, { tools })).output).toEqual({ n: 7 });
  });

  it.each([
    ['the server', refusalOf('forbidden')],
    ['the connection', new ServerError('away', { code: 'unreachable' })],
    ['the program', new TypeError('broken')],
  ])('end the question with a failure of %s', async (_whose, error) => {
    const never = new Promise<void>(() => undefined);
    const fake = testChat({
      send: SENT,
      submitToolResults: () => Promise.reject(error),
      events: async function* () {
        yield* eventsOf([action(['c', 'look', '{"at":1}'])]);
        await never;
      },
    });
    await expect(ask(fake, {}, { tools })).rejects.toBe(error);
  });
});

describe('the promise of a question', () => {
  it('has a loop over elements, which is left without the question', async () => {
    let given: FeedOfLoop | undefined;
    const list = Output.array({ element: z.number() });
    const asked = toAskPromise({ prompt: 'p', output: list }, async (_options, elements) => {
      given = elements;
      return { output: [1, 2], receipt: receiptOf(), chatId: 'chat', requestId: 'r' };
    });
    expect(given?.feed()).toBeUndefined();
    for await (const element of asked.elements) {
      expect(element).toBe(1);
      break;
    }
    expect(given?.feed()).toBeInstanceOf(ElementFeed);
    expect(given?.left.aborted).toBe(true);
    expect((await asked).output).toEqual([1, 2]);
  });

  it('is made without options too, so that their check rejects it', () => {
    const asked = toAskPromise(undefined as never, () => Promise.resolve(undefined as never));
    expect(asked).toBeInstanceOf(Promise);
  });
});
