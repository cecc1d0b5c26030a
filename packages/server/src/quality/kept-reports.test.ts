/** Reports that are read once for many callers. */
import { expect, it } from 'vitest';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { KeptReports } from './kept-reports.ts';

function over(answers: number): QualityView {
  const totals = { answers, first_try: 0, valid: 0, attempts: answers, unanswered: 0 };
  const range = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' };
  const rest = { bucket: 'day', by: 'model', sources: ['chats'], is_complete: true } as const;
  return { ...range, ...rest, totals, buckets: [], rows: [], fields: [] };
}

/** Reports on a clock of the test, and what was read. */
function reports(answers: number) {
  const read: string[] = [];
  let now = 0;
  const kept = new KeptReports(() => now);
  const get = (key: string): Promise<QualityView> =>
    kept.get('o', key, async () => {
      read.push(key);
      await Promise.resolve();
      return over(answers);
    });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { read, get, wait };
}

it('are read once for all callers at a time, and for ten seconds if they count many answers', async () => {
  const { read, get, wait } = reports(20_000);
  await Promise.all([get('a'), get('a'), get('b'), get('a')]);
  expect(read).toEqual(['a', 'b']);
  wait(9_999);
  await get('a');
  expect(read).toEqual(['a', 'b']);
  wait(1);
  await get('a');
  expect(read).toEqual(['a', 'b', 'a']);
});

it('are read at each call if they count few answers', async () => {
  const { read, get } = reports(999);
  await get('a');
  await get('a');
  expect(read).toEqual(['a', 'a']);
});

it('are read again after a failure, and one failure stops no other report', async () => {
  const kept = new KeptReports();
  await expect(kept.get('o', 'a', () => Promise.reject(new TypeError('gone')))).rejects.toThrow('gone');
  await expect(kept.get('o', 'a', () => Promise.resolve(over(1)))).resolves.toEqual(over(1));
});

it('are at most a hundred', async () => {
  const { read, get } = reports(20_000);
  for (let index = 0; index <= 100; index += 1) await get(`key ${index}`);
  await get('key 1');
  expect(read).toHaveLength(101);
  await get('key 0');
  expect(read).toHaveLength(102);
});

it('wait for others of the same owner only', async () => {
  const kept = new KeptReports();
  const stuck = Promise.withResolvers<QualityView>();
  const first = kept.get('one', 'a', () => stuck.promise);
  const second = kept.get('one', 'b', () => Promise.resolve(over(2)));
  await expect(kept.get('other', 'a', () => Promise.resolve(over(3)))).resolves.toEqual(over(3));
  stuck.resolve(over(1));
  expect([await first, await second]).toEqual([over(1), over(2)]);
});
