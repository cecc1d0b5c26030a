/** Times of a turn as clients read them: of its request, its model calls, its attempts and its tools. */
import { expect, it } from 'vitest';
import type { MessageView } from '../../packages/client/src/wire/message.ts';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { COUNT, submit } from './answers.ts';
import { httpServer, type HttpServer } from './http-server.ts';

const FORMAT = { type: 'json_schema', json_schema: { name: 'count', schema: COUNT } };
const LOOK: ServerTool = {
  definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
  run: () => Promise.resolve(toolSuccess('seven')),
};

async function messagesOf(server: HttpServer, chatId: string): Promise<readonly MessageView[]> {
  const { json } = await server.ask('GET', `/api/chats/${chatId}/messages`);
  return json['messages'] as readonly MessageView[];
}

/** Asserts that the times are known and in this order. */
function expectOrder(...times: readonly (string | undefined)[]): void {
  const known = times.map((time) => Date.parse(time ?? ''));
  expect(known).not.toContain(Number.NaN);
  expect(known.toSorted((one, other) => one - other)).toEqual(known);
}

describeOnBothStores('the times of a turn', ({ open }) => {
  it('place each model call, attempt and tool on one axis', async () => {
    const script = [reply.tool('look', {}), submit('{"output":{"n":"7"}}'), submit('{"output":{"n":7}}')];
    await using server = await httpServer({ store: await open(), tools: [LOOK], script });
    const { chatId, requestId } = await server.begin({ content: 'Count', response_format: FORMAT });
    const receipt = (await server.receipt(chatId, requestId)) as unknown as Receipt;
    const messages = await messagesOf(server, chatId);
    const steps = messages.filter(({ role, model }) => role === 'assistant' && model !== undefined);
    expect(steps).toHaveLength(3);
    for (const { started_at, first_token_at, created_at } of steps) {
      expectOrder(started_at, first_token_at, created_at);
    }
    const [, refused, accepted] = steps;
    expect(receipt).toMatchObject({ status: 'succeeded', message_id: messages[0]?.id });
    expectOrder(receipt.created_at, receipt.started_at, receipt.ended_at);
    expect(receipt.attempts).toMatchObject([
      { code: 'invalid', message_id: refused?.id, usage: refused?.usage },
      { code: 'ok', message_id: accepted?.id, usage: accepted?.usage },
    ]);
    for (const [index, { at, duration_ms }] of receipt.attempts.entries()) {
      expectOrder(receipt.started_at, steps[index + 1]?.started_at, at, receipt.ended_at);
      expect(Date.parse(steps[index + 1]?.started_at ?? '') + (duration_ms ?? -1)).toBe(Date.parse(at ?? ''));
    }
    const looked = messages.flatMap(({ content }) => content).find((part) => part.type === 'tool_result');
    expectOrder(steps[0]?.started_at, looked?.started_at, looked?.ended_at, refused?.started_at);
    const { json } = await server.ask('GET', `/api/requests/${requestId}`);
    expect(json['receipt']).toEqual(receipt);
  });
});
