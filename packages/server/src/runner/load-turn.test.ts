import { expect, it } from 'vitest';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Turn } from '../state/chat-reads.ts';
import { loadLeasedTurn } from './load-turn.ts';

const TURN = { messages: [], chat: { planMode: false } } as unknown as Turn;
const { signal } = new AbortController();

function machineThatFails(times: number, error: Error): { loads: number; loadTurn: () => Promise<Turn> } {
  return {
    loads: 0,
    async loadTurn() {
      this.loads += 1;
      if (this.loads <= times) throw error;
      return TURN;
    },
  };
}

it('retries after a lost connection', async () => {
  const machine = machineThatFails(2, new StoreError('It broke.', { code: 'connection-lost' }));
  expect(await loadLeasedTurn(machine, { chatId: 'c', signal })).toMatchObject({
    ...TURN,
    view: { rows: [], turn: undefined },
  });
  expect(machine.loads).toBe(3);
});

it('rejects at once with anything else', async () => {
  const machine = machineThatFails(1, new StoreError('It is closed.', { code: 'closed' }));
  await expect(loadLeasedTurn(machine, { chatId: 'c', signal })).rejects.toMatchObject({ code: 'closed' });
});

it('stops reading once the signal aborts', async () => {
  const machine = machineThatFails(9, new StoreError('It broke.', { code: 'connection-lost' }));
  const place = { chatId: 'c', signal: AbortSignal.abort() };
  await expect(loadLeasedTurn(machine, place)).rejects.toMatchObject({ code: 'connection-lost' });
  expect(machine.loads).toBe(1);
});
