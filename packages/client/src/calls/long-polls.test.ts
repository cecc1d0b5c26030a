import { expect, it } from 'vitest';
import type { Connection } from './http-caller.ts';
import { pollInTurn } from './long-polls.ts';

const connectionOf = (name: string): Connection => ({
  baseURL: `http://127.0.0.1/${name}`,
  token: 't',
  fetch,
  maxRetries: 0,
});

/** Polls that end on request. */
function polling(connection: Connection, count: number) {
  const opened: number[] = [];
  const ends: (() => void)[] = [];
  const polls = Array.from({ length: count }, (_poll, index) =>
    pollInTurn(connection, () => {
      opened.push(index);
      return new Promise<number>((resolve) => ends.push(() => resolve(index)));
    }),
  );
  return { polls, opened, ends };
}

it('opens sixteen polls of a client at a time, first come, first served', async () => {
  const { polls, opened, ends } = polling(connectionOf('many'), 40);
  expect(opened).toEqual([...Array(16).keys()]);
  ends[3]?.();
  await expect.poll(() => opened.at(-1)).toBe(16);
  for (let next = 0; next < 40; next += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(next);
    ends[next]?.();
  }
  expect(await Promise.all(polls)).toEqual([...Array(40).keys()]);
  expect(opened).toEqual([...Array(40).keys()]);
});

it('gives the turn of a failed poll to the next, and counts each client alone', async () => {
  const connection = connectionOf('failing');
  const failing = Array.from({ length: 20 }, () =>
    pollInTurn(connection, () => Promise.reject(new Error('gone'))),
  );
  expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true);
  polling(connection, 16);
  expect(polling(connection, 1).opened).toEqual([]);
  expect(polling(connectionOf('another'), 1).opened).toEqual([0]);
});

it('a waiting poll leaves with its signal, and is never opened', async () => {
  const connection = connectionOf('aborted');
  const { ends } = polling(connection, 16);
  const stop = new AbortController();
  let opened = 0;
  const open = (): Promise<void> => Promise.resolve(void (opened += 1));
  const left = pollInTurn(connection, open, stop.signal);
  const late = pollInTurn(connection, open, AbortSignal.abort(new Error('before')));
  stop.abort(new Error('stopped'));
  await expect(left).rejects.toThrow('stopped');
  await expect(late).rejects.toThrow('before');
  ends[0]?.();
  await pollInTurn(connection, open);
  expect(opened).toBe(1);
});
