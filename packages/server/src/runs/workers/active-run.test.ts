/** Tests of one execution without a database: its memory while the database is away. */
import { expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { RunReport } from '../agent-executor.ts';
import type { RunBlob } from '../run-blob.ts';
import { EVENT_LIMITS, type NewRunEvent } from '../run-event.ts';
import type { HeldRun, NotedWork } from '../state/run-work.ts';
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
  const endRun: ExecutionPorts['machine']['endRun'] = (fence, _ending, last = {}) => note(fence, last);
  const machine = { ...MACHINE, note, endRun };
  await new ActiveRun(portsOf({ machine, executor: { execute } }), HELD).run();
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

/** A machine that keeps what each of its commits had, with the name of the call. */
function keptCommits(fails: (call: string, work: NotedWork) => Error | undefined = () => undefined) {
  const commits: [call: string, work: NotedWork][] = [];
  const keep = async (call: string, work: NotedWork = {}): Promise<void> => {
    const error = fails(call, work);
    if (error !== undefined) throw error;
    commits.push([call, work]);
  };
  const machine: ExecutionPorts['machine'] = {
    ...MACHINE,
    note: (_fence, work) => keep(work.note?.phase ?? 'note', work),
    endRun: (_fence, _ending, last) => keep('end', last),
    leave: (_fence, _outcome, last) => keep('leave', last),
  };
  return { commits, machine };
}

const blobOf = (name: string): RunBlob => ({ name, mediaType: 'text/plain', bytes: Buffer.from(name) });

it('stores the note of a turn with the answer, and what comes after the answer with the end', async () => {
  const { commits, machine } = keptCommits();
  const execute: ExecutionPorts['executor']['execute'] = async (_run, report) => {
    await report.note({ phase: 'working' });
    const turn = report.note({ sessionId: 's1', blobs: [blobOf('a'), blobOf('b')] }, { isJoined: true });
    await report.note({ phase: 'answered', blobs: [blobOf('b')] });
    await turn;
    report.event({ type: 'commit', sha: 'c1' });
    void report.note({ phase: 'settled' }, { isJoined: true });
    return { status: 'succeeded', text: 'Done.', artifacts: [blobOf('log')] };
  };
  await new ActiveRun(portsOf({ machine, executor: { execute } }), HELD).run();
  expect(commits).toEqual([
    ['working', { note: { phase: 'working' }, events: [] }],
    [
      'answered',
      { note: { phase: 'answered', sessionId: 's1', blobs: [blobOf('a'), blobOf('b')] }, events: [] },
    ],
    [
      'end',
      {
        note: { phase: 'settled', blobs: [blobOf('log')] },
        events: [{ type: 'commit', sha: 'c1' }],
      },
    ],
  ]);
});

it('stores the note of a turn at once if an agent continues, and nothing twice', async () => {
  const { commits, machine } = keptCommits();
  const execute: ExecutionPorts['executor']['execute'] = async (_run, report) => {
    const turn = report.note({ sessionId: 's1' }, { isJoined: true });
    await report.note({});
    await turn;
    await report.note({});
    return { status: 'succeeded', text: 'Done.' };
  };
  await new ActiveRun(portsOf({ machine, executor: { execute } }), HELD).run();
  expect(commits.map(([call]) => call)).toEqual(['note', 'end']);
});

it('keeps the note of a turn whose answer is refused, and leaves the run with it', async () => {
  const refused = new ChatStateError('It is being canceled.', { code: 'not-allowed' });
  const { commits, machine } = keptCommits((call) => (call === 'answered' ? refused : undefined));
  const execute: ExecutionPorts['executor']['execute'] = async (_run, report) => {
    const turn = report.note({ sessionId: 's1' }, { isJoined: true });
    await expect(report.note({ phase: 'answered' })).rejects.toBe(refused);
    await expect(turn).rejects.toBe(refused);
    expect(report.signal.reason).toBe('canceled');
    return { status: 'stopped' };
  };
  await new ActiveRun(portsOf({ machine, executor: { execute } }), HELD).run();
  expect(commits).toEqual([['leave', { note: { sessionId: 's1' }, events: [] }]]);
});

it('ends a run whose artifact cannot be stored with a warning, and stores the others', async () => {
  const isBad = ({ note }: NotedWork): boolean => note?.blobs?.some(({ name }) => name === 'bad') === true;
  const { commits, machine } = keptCommits((_call, work) => (isBad(work) ? away() : undefined));
  const endings: unknown[] = [];
  const endRun: ExecutionPorts['machine']['endRun'] = async (fence, ending, last) => {
    await machine.endRun(fence, ending, last);
    endings.push(ending);
  };
  let stored = 0;
  const execute: ExecutionPorts['executor']['execute'] = async () => ({
    status: 'succeeded',
    text: 'Done.',
    artifacts: [blobOf('log'), blobOf('bad')],
    onStored: () => (stored += 1),
  });
  const ports = portsOf({ machine: { ...machine, endRun }, executor: { execute } });
  await new ActiveRun(ports, HELD).run();
  expect(commits.map(([, { note }]) => note)).toEqual([{ blobs: [blobOf('log')] }, undefined]);
  const warnings = ['`bad` was not stored: The database is away.'];
  expect(endings).toEqual([{ status: 'succeeded', text: 'Done.', warnings }]);
  expect(stored).toBe(0);
});
