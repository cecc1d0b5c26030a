import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { prepareChat, testMachine } from '../test-chats.ts';

describeOnBothStores('a commit', (open) => {
  it('accepts more messages than fit one statement, in order', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const texts = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    const messages = texts.map((text) => ({ role: 'assistant', parts: [{ type: 'text', text }] }) as const);
    const { messageIds } = await machine.commitStep(fence, { messages });
    expect(messageIds).toEqual(texts.map((_, at) => at + 3));
    const turn = await machine.loadTurn(chatId);
    expect(turn.messages.slice(2).map(({ id, parts }) => [id, parts])).toEqual(
      messages.map(({ parts }, at) => [at + 3, parts]),
    );
  });
});
