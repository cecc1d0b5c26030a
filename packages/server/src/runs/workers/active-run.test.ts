/** Tests of one execution without a database: its memory while the database is away. */
import { expect, it } from 'vitest';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { RunReport } from '../agent-executor.ts';
import { EVENT_LIMITS, type NewRunEvent } from '../run-event.ts';
import type { HeldRun } from '../state/run-work.ts';
import { ActiveRun, type ExecutionPorts } from './active-run.ts';

const HELD: HeldRun = {
  fence: { runId: 'run-1', worker: 'w1', generation: 1 },
  claimed: {
    id: 'run-1',
    owner: 'anna',
    execution: 1,
    request: { repository: 'web', agent: 'claude-code', prompt: 'Fix it.' },
    branch: 'truecast/runs/run-1',
    elapsedMs: 0,
  },
  losses: 0,
  isCanceling: false,
};
const done = (): Promise<void> => Promise.resolve();
const MACHINE: ExecutionPorts['machine'] = {
  note: done,
  readBlob: () => Promise.reject(new RequestRefusedError('It has none.', { code: 'not-found' })),
  endRun: done,
  endLost: done,
  leave: done,
};
const away = (): StoreError => new StoreError('The database is away.', { code: 'connection-lost' });
const portsOf = (
  ports: Pick<ExecutionPorts, 'machine' | 'executor'> & Partial<ExecutionPorts>,
): ExecutionPorts => ({ onLeave: () => undefined, onFault: () => undefined, ...ports });
const PART = 'x'.repeat(EVENT_LIMITS.bytes / 8);

it('keeps no more text than the database, however much comes while it is away', async () => {
  let isAway = true;
  const stored: NewRunEvent[] = [];
  const execute = async (
    _run: unknown,
    report: RunReport,
  ): ReturnType<ExecutionPorts['executor']['execute']> => {
    for (let count = 0; count < 20; count += 1) report.event({ type: 'text', text: PART });
    await report.note({ phase: 'working' }).catch(() => undefined);
    for (let count = 0; count < 20; count += 1) report.event({ type: 'text', text: PART });
    report.event({ type: 'commit', sha: 'c1' });
    isAway = false;
    return { status: 'succeeded', text: 'Done.' };
  };
  const note: ExecutionPorts['machine']['note'] = async (_fence, { events = [] }) => {
    if (isAway) throw away();
    stored.push(...events);
  };
  const execution = new ActiveRun(portsOf({ machine: { ...MACHINE, note }, executor: { execute } }), HELD);
  await execution.run();
  const chars = stored.reduce((sum, event) => sum + (event.type === 'text' ? event.text.length : 0), 0);
  expect(chars).toBe(EVENT_LIMITS.bytes);
  expect(stored.at(-1)).toEqual({ type: 'commit', sha: 'c1' });
});

it('leaves a canceled run to another worker when its process stops while the database is away', async () => {
  let tries = 0;
  const leave = async (): Promise<void> => {
    tries += 1;
    throw away();
  };
  const execution: ActiveRun = new ActiveRun(
    portsOf({
      machine: { ...MACHINE, leave },
      executor: { execute: () => Promise.resolve({ status: 'stopped' }) },
      // In the first pause after the failed try.
      onFault: () => setImmediate(() => execution.stop('leaving')),
    }),
    HELD,
  );
  execution.stop('canceled');
  await execution.run();
  expect(tries).toBe(2);
});
