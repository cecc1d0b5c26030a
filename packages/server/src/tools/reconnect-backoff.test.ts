import { expect, it } from 'vitest';
import { ReconnectBackoff } from './reconnect-backoff.ts';

function backoffOf(isUp: () => boolean) {
  const seen = { attempts: 0, nowMs: 0 };
  const backoff = new ReconnectBackoff(
    async () => {
      seen.attempts += 1;
      if (!isUp()) throw new Error(`down ${seen.attempts}`);
      return 'up';
    },
    () => seen.nowMs,
  );
  return { seen, backoff };
}

it('reaches a dead server 17 times in an hour of turns, and shares attempts', async () => {
  const { seen, backoff } = backoffOf(() => false);
  for (; seen.nowMs < 3_600_000; seen.nowMs += 1_000) {
    const asked = await Promise.allSettled([backoff.run(), backoff.run()]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  }
  // Immediately, after 5, 10, 20, 40, 80 and 160 seconds, and then every 300 seconds.
  expect(seen.attempts).toBe(17);
});

it('returns the last failure meanwhile, and starts again after a success', async () => {
  let isUp = false;
  const { seen, backoff } = backoffOf(() => isUp);
  await expect(backoff.run()).rejects.toThrow('down 1');
  seen.nowMs = 4_999;
  isUp = true;
  await expect(backoff.run()).rejects.toThrow('down 1');
  seen.nowMs = 5_000;
  expect(await backoff.run()).toBe('up');
  isUp = false;
  await expect(backoff.run()).rejects.toThrow('down 3');
  seen.nowMs = 10_000;
  await expect(backoff.run()).rejects.toThrow('down 4');
});
