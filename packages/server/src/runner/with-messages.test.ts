import { expect, it } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import { prepareChat, testMachine } from '../state/test-chats.ts';
import type { StepMessage } from '../state/rows/append-messages.ts';
import { loadLeasedTurn, withMessages } from './load-turn.ts';

it('builds the turn that a load after the commit of the step returns', async () => {
  const store = await openStore({ url: ':memory:' });
  const machine = testMachine(store);
  const { fence } = await prepareChat(machine, 'running');
  const place = { chatId: fence.chatId, signal: new AbortController().signal };
  const usage = { inputTokens: 1, outputTokens: 2, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  const messages: StepMessage[] = [
    {
      role: 'assistant',
      parts: [{ type: 'text', text: 'NUL \u0000, half a pair \uD800' }],
      step: { finishReason: 'stop', model: 'm', usage, mode: 'tool_auto' },
    },
    { role: 'user', visibility: 'model', parts: [{ type: 'text', text: 'Call the tool.' }] },
  ];
  const built = withMessages(await loadLeasedTurn(machine, place), messages);
  await machine.commitStep(fence, { messages });
  const { messages: rows, view } = await loadLeasedTurn(machine, place);
  const at = rows.at(-1)?.createdAt;
  const timed = built.messages.map((row, index) =>
    index < rows.length - 2 ? row : { ...row, createdAt: at },
  );
  expect(timed).toEqual(rows);
  expect({ ...built.view, rows: [], turn: built.view.turn?.length }).toEqual({
    ...view,
    rows: [],
    turn: view.turn?.length,
  });
  await store.close();
});
