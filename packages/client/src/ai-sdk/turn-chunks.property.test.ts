/** Property: wherever the stream is cut, the AI SDK's fold of the chunks equals the history. */
import { readUIMessageStream, uiMessageChunkSchema, type UIMessage } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import type { ReceivedEvent } from '../chat-events.ts';
import type { MessagePart } from '../wire/message-parts.ts';
import type { MessageRole, MessageView } from '../wire/message.ts';
import type { Receipt, ReceiptAttempt } from '../wire/receipt.ts';
import type { LiveEvent } from '../wire/stream-event.ts';
import { toUIMessages } from './to-ui-messages.ts';
import { TurnChunks } from './turn-chunks.ts';
import type { TruecastChunk } from './ui-message.ts';

const PAGE_TOOLS = {
  look: {
    inputSchema: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
  },
} as const;
const text = fc.string({ minLength: 1, maxLength: 12 });
const call = fc.record({
  type: fc.constant('call' as const),
  name: fc.constantFrom('look', 'run', 'submit_structured_output'),
  // Providers reuse ids, and write arguments that are no JSON.
  id: fc.constantFrom('call-1', 'call-2'),
  args: fc.oneof(fc.json({ maxDepth: 1 }), text),
  result: fc.record({ result: fc.json({ maxDepth: 1 }), is_error: fc.boolean() }),
});
const step = fc.record({
  said: fc.array(fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), text }), {
    maxLength: 2,
  }),
  calls: fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 2 }),
  refusal: fc.option(fc.constantFrom('invalid' as const, 'text_only' as const), { nil: undefined }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const message = (
  id: number,
  role: MessageRole,
  content: readonly MessagePart[],
  attempt?: ReceiptAttempt,
): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content,
  is_compressed: false,
  created_at: '2026-01-01T00:00:00Z',
  ...(role === 'user' && { request_id: 'request' }),
  ...(role === 'assistant' && { finish_reason: 'stop' }),
  ...(attempt !== undefined && { attempt }),
});

/** The rows of a turn. The refusal of a call is in its result. */
function rowsOf(steps: readonly Step[]): readonly (readonly MessageView[])[] {
  let id = 3;
  return steps.map(({ said, calls, refusal }) => [
    message(
      (id += 1),
      'assistant',
      [
        ...said.map(({ kind, text }) => ({ type: kind, text })),
        ...calls.map(({ id, name, args }) => ({
          type: 'tool_call' as const,
          tool_call_id: id,
          tool_name: name,
          args,
        })),
      ],
      refusal && calls.length === 0 ? { code: refusal } : undefined,
    ),
    ...(calls.length === 0
      ? []
      : [
          message(
            (id += 1),
            'tool',
            calls.map(({ id, name, result }, index) => ({
              type: 'tool_result' as const,
              tool_call_id: id,
              tool_name: name,
              ...result,
              ...(refusal && index === 0 && { attempt: { code: refusal } }),
            })),
          ),
        ]),
  ]);
}

/** The hints of a step: a piece for each character. */
function hintsOf({ said, calls }: Step): LiveEvent[] {
  return [
    ...said.flatMap(({ kind, text }) =>
      text.split('').map((delta) => ({ type: 'part' as const, kind, delta })),
    ),
    ...calls.flatMap(({ id: tool_call_id, name: tool_name, args }): LiveEvent[] => [
      { type: 'part', kind: 'tool_call', delta: '', tool_call_id, tool_name },
      ...args.split('').map((delta) => ({
        type: 'part' as const,
        kind: 'tool_call' as const,
        delta,
        tool_call_id,
      })),
      { type: 'partial', request_id: 'request', value: args, is_validated: false },
    ]),
  ];
}

/** Drops hints like a lost connection: the server resets the preview before the next hint. */
function cut(hints: readonly LiveEvent[], isLost: () => boolean): LiveEvent[] {
  let hasLost = false;
  return hints.flatMap((hint): LiveEvent[] => {
    if (isLost()) {
      hasLost = true;
      return [];
    }
    const reset = hasLost;
    hasLost = false;
    return reset ? [{ type: 'preview_reset' }, hint] : [hint];
  });
}

const receipt: Receipt = { request_id: 'request', status: 'failed', schema_hash: 'x', attempts: [] };

/** Parts of an error keep the unparsed input, which the AI SDK deprecates. */
function plain(message: UIMessage | undefined): unknown {
  return JSON.parse(
    JSON.stringify(message ?? null, (key, value: unknown) => (key === 'rawInput' ? undefined : value)),
  );
}

async function fold(events: readonly ReceivedEvent[]): Promise<UIMessage | undefined> {
  const turn = new TurnChunks({
    chatId: 'chat',
    message: { type: 'row', id: 3 },
    clientTools: new Set(['look']),
  });
  const chunks = events.flatMap((event) => turn.push(event));
  expect(turn.isEnded).toBe(true);
  for (const chunk of chunks) {
    expect(await uiMessageChunkSchema().validate?.(chunk), JSON.stringify(chunk)).toMatchObject({
      success: true,
    });
  }
  let last: UIMessage | undefined;
  const onError = (error: unknown): void => {
    throw error;
  };
  const stream = new ReadableStream<TruecastChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const state of readUIMessageStream({ stream, onError, terminateOnError: true })) last = state;
  return last;
}

it('shows the history, whatever was lost of the preview', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 4 }),
    fc.array(fc.boolean(), { maxLength: 60 }),
    async (steps, losses) => {
      const user = message(3, 'user', [{ type: 'text', text: 'Hi' }]);
      const rows = rowsOf(steps);
      let at = 0;
      const isLost = (): boolean => losses[(at += 1) % Math.max(1, losses.length)] ?? false;
      const events: ReceivedEvent[] = [
        // An earlier turn, as a stream from the first message repeats it.
        ...[
          message(1, 'user', [{ type: 'text', text: 'Old' }]),
          message(2, 'assistant', [{ type: 'text', text: 'Old.' }]),
          user,
        ].map((row) => ({ id: `${row.id}`, event: { type: 'message' as const, message: row } })),
        ...steps.flatMap((each, index) => [
          ...cut(hintsOf(each), isLost).map((event) => ({ event })),
          ...(rows[index] ?? []).map((row) => ({
            id: `${row.id}`,
            event: { type: 'message' as const, message: row },
          })),
        ]),
        { id: 'receipt', event: { type: 'receipt', receipt } },
        { id: 'status', event: { type: 'status', status: 'waiting', version: 9 } },
      ];
      const [, history] = await toUIMessages([user, ...rows.flat()], {
        receipts: [receipt],
        tools: PAGE_TOOLS,
      });
      expect(plain(await fold(events))).toEqual(plain(history));
    },
  );
  await fc.assert(property, { numRuns: matrixRuns(30, 60) });
});
