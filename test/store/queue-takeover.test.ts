import { once } from 'node:events';
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

const HOST = await bundledHost(new URL('hanging-worker-host.ts', import.meta.url));
const PATIENCE = { timeout: 120_000, interval: 20 };

// Both databases wait for the same heartbeats, so they wait together.
describe.concurrent('on every database', () => {
  describeOnBothStores('a queue', (fixture) => {
    it('moves the job of a killed process to another within seconds', async ({ onTestFinished }) => {
      const url = await fixture.freshUrl();
      const queue = await openJobQueue({
        store: await fixture.open(url),
        queues: ['turns'],
        onWarning: () => {},
      });
      onTestFinished(() => queue.close());
      await queue.enqueue({ queue: 'turns', key: 'a', payload: 'first' });
      await queue.enqueue({ queue: 'turns', key: 'a', payload: 'second' });
      const child = fork(HOST, [url], { execArgv: [] });
      onTestFinished(() => void child.kill('SIGKILL'));
      expect((await once(child, 'message'))[0]).toBe('first');
      const done: string[] = [];
      await queue.work('turns', {}, async ({ payload, attempt }) => void done.push(`${payload} ${attempt}`));
      // A live worker keeps its job. The wait is longer than a heartbeat and the takeover after a
      // missed one.
      await sleep(15_000);
      expect(done).toEqual([]);
      child.kill('SIGKILL');
      const killedMs = performance.now();
      await vi.waitFor(() => expect(done).toEqual(['first 2', 'second 1']), PATIENCE);
      expect(performance.now() - killedMs).toBeLessThan(30_000);
    });
  });
});
