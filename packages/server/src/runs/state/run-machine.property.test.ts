/**
 * Property: any order of client and worker commands keeps the rows as a small model predicts. Each run gets
 * one receipt, which never changes, and no lost worker commits.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { matrixRuns } from '../../../../../test/matrix.ts';
import type { Store } from '@truecast/store/internal/database/store';
import { EXPIRY_MS, OFFERS, RUN_OWNER, runRequest, testRuns, type TestRuns } from './test-runs.ts';
import type { RunFence } from './run-update.ts';

const COMMANDS = [
  'claim',
  'note',
  'answer',
  'leave',
  'cancel',
  'succeed',
  'fail',
  'end-lost',
  'take-over',
  'take-over-alive',
  'expire',
] as const;
const command = fc.record({ name: fc.constantFrom(...COMMANDS), isStale: fc.boolean() });
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

type State = 'queued' | 'running' | 'answered' | 'canceling' | 'succeeded' | 'failed' | 'canceled';

/** Model of a run: its state as the documentation defines it. */
interface Model {
  state: State;
  executions: number;
  isExpired: boolean;
}

/** Returns the state after a command, or undefined if it is refused. */
function predict({ state, isExpired }: Model, { name, isStale }: Command): State | undefined {
  const isHeld = state === 'running' || state === 'answered' || state === 'canceling';
  const isWorkers = ['note', 'answer', 'leave', 'succeed', 'fail', 'end-lost'].includes(name);
  if (isWorkers && (!isHeld || isStale)) return undefined;
  const isCanceling = state === 'canceling';
  switch (name) {
    case 'claim':
      return state === 'queued' && !isExpired ? 'running' : undefined;
    case 'note':
      return state;
    case 'answer':
      return isCanceling ? undefined : 'answered';
    case 'leave':
      return isCanceling ? 'canceled' : state === 'answered' ? undefined : 'queued';
    case 'cancel':
      return state === 'queued' ? 'canceled' : state === 'running' || isCanceling ? 'canceling' : undefined;
    case 'succeed':
      return isCanceling ? 'canceled' : 'succeeded';
    case 'fail':
    case 'end-lost':
      return isCanceling ? 'canceled' : 'failed';
    case 'take-over':
      return isHeld ? state : undefined;
    case 'take-over-alive':
      return undefined;
    default:
      return state === 'queued' ? 'canceled' : undefined;
  }
}

const STARTS: readonly string[] = ['claim', 'take-over'];

describeOnBothStores('any order of commands', (open) => {
  it('changes a run as the model predicts, and writes one receipt', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 30 }), (commands) =>
        play(open(), commands),
      ),
      { numRuns: open().dialect === 'sqlite' ? matrixRuns(12, 80) : matrixRuns(3, 15) },
    );
  });

  it('has one winner of commands that come at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('running' as const, 'answered' as const),
        fc.array(fc.constantFrom('succeed', 'fail', 'end-lost', 'leave', 'cancel', 'take-over'), {
          minLength: 2,
          maxLength: 5,
        }),
        (state, names) => race(open(), state, names as readonly Command['name'][]),
      ),
      { numRuns: open().dialect === 'sqlite' ? matrixRuns(5, 20) : matrixRuns(3, 15) },
    );
  });
});

describeOnBothStores('a cancellation and an answer at the same time', (open) => {
  it('have one winner, whichever comes first', async () => {
    const machine = testRuns(open());
    const won = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const { id: runId } = await machine.createRun({ owner: RUN_OWNER, request: runRequest() });
      const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
      const { fence } = held!;
      const cancel = () =>
        attempt(machine, runId, { fences: [fence], command: { name: 'cancel', isStale: false } });
      const answer = () =>
        attempt(machine, runId, { fences: [fence], command: { name: 'answer', isStale: false } });
      const [first, second] = round % 2 === 0 ? [cancel, answer] : [answer, cancel];
      const done = await Promise.all([first(), second()]);
      expect(done.toSorted()).toEqual([false, true]);
      await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
      const isCanceled = done[round % 2] === true;
      expect((await read(open(), runId)).state).toBe(isCanceled ? 'canceled' : 'succeeded');
      won.add(isCanceled ? 'cancel' : 'answer');
      await assertEvents(open(), runId);
    }
    expect([...won].toSorted()).toEqual(['answer', 'cancel']);
  });
});

async function play(store: Store, commands: readonly Command[]): Promise<void> {
  const machine = testRuns(store);
  const { id: runId } = await machine.createRun({
    owner: RUN_OWNER,
    request: runRequest({ expires_after_seconds: EXPIRY_MS / 1_000 }),
  });
  const model: Model = { state: 'queued', executions: 0, isExpired: false };
  const fences: RunFence[] = [];
  for (const each of commands) {
    const before = await read(store, runId);
    const expected = predict(model, each);
    const isDone = await attempt(machine, runId, { fences, command: each });
    expect([each.name, isDone]).toEqual([each.name, expected !== undefined]);
    if (expected === undefined) expect(await read(store, runId)).toEqual(before);
    model.state = expected ?? model.state;
    if (expected !== undefined && STARTS.includes(each.name)) model.executions += 1;
    const after = await read(store, runId);
    expect([after.state, after.generation]).toEqual([model.state, model.executions]);
    if (before.ended_at !== null) expect(after).toEqual(before);
  }
  await assertEvents(store, runId);
  // Out of the queue of the next case.
  if (model.state === 'queued') await machine.requestCancel({ owner: RUN_OWNER, runId });
}

async function race(
  store: Store,
  state: 'running' | 'answered',
  names: readonly Command['name'][],
): Promise<void> {
  const machine = testRuns(store);
  const { id: runId } = await machine.createRun({ owner: RUN_OWNER, request: runRequest() });
  const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
  const fences = [held!.fence];
  if (state === 'answered') await machine.note(held!.fence, { note: { phase: 'answered' } });
  await Promise.all(
    names.map((name) => attempt(machine, runId, { fences: [...fences], command: { name, isStale: false } })),
  );
  const row = await read(store, runId);
  await assertEvents(store, runId);
  const receipts = (await eventsOf(store, runId)).filter(({ type }) => type === 'receipt');
  expect(receipts).toHaveLength(row.ended_at === null ? 0 : 1);
  if (row.state === 'queued') await machine.requestCancel({ owner: RUN_OWNER, runId });
}

/** Returns false if the command was refused. Any other error is a defect. */
async function attempt(
  machine: TestRuns,
  runId: string,
  { fences, command: { name, isStale } }: { readonly fences: RunFence[]; readonly command: Command },
): Promise<boolean> {
  const newest = fences.at(-1) ?? { runId, worker: 'w0', generation: 0 };
  const fence = isStale ? { ...newest, generation: newest.generation - 1 } : newest;
  try {
    switch (name) {
      case 'claim': {
        const held = await machine.claimNext({ worker: `w${fences.length + 1}`, offers: OFFERS });
        if (held !== undefined) fences.push(held.fence);
        return held !== undefined;
      }
      case 'take-over': {
        const lost = { worker: newest.worker, heartbeatAt: undefined };
        const held = await machine.takeOver({ runId, worker: `w${fences.length + 1}`, lost });
        if (held !== undefined) fences.push(held.fence);
        return true;
      }
      case 'take-over-alive':
        await machine.takeOver({ runId, worker: 'thief', lost: { worker: newest.worker, heartbeatAt: 1 } });
        return true;
      case 'note':
        await machine.note(fence, { events: [{ type: 'warning', message: 'x' }] });
        return true;
      case 'answer':
        await machine.note(fence, { note: { phase: 'answered' } });
        return true;
      case 'leave':
        await machine.leave(fence);
        return true;
      case 'cancel':
        await machine.requestCancel({ owner: RUN_OWNER, runId });
        return true;
      case 'succeed':
        await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
        return true;
      case 'fail':
        await machine.endRun(fence, { status: 'failed', error: { code: 'agent_failed', message: 'x' } });
        return true;
      case 'end-lost':
        await machine.endLost(fence, { reason: 'no_tree' });
        return true;
      default:
        await machine.expireRun(runId);
        return true;
    }
  } catch (error) {
    if (!ChatStateError.isInstance(error) || error.code === 'invalid-state') throw error;
    return false;
  }
}

async function read(store: Store, runId: string) {
  const row = await store.db
    .selectFrom('agent_runs')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const isAnswered = row.status === 'running' && row.phase === 'answered';
  return { ...row, state: isAnswered ? 'answered' : row.status };
}

async function eventsOf(store: Store, runId: string): Promise<readonly { seq: number; type: string }[]> {
  const rows = await store.db
    .selectFrom('agent_run_events')
    .select(['seq', 'data'])
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute();
  return rows.map(({ seq, data }) => ({ seq, type: (JSON.parse(data) as { type: string }).type }));
}

/** Positions have no gap, and the receipt is the one last event of a run that has ended. */
async function assertEvents(store: Store, runId: string): Promise<void> {
  const events = await eventsOf(store, runId);
  const row = await read(store, runId);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  expect(row.event_count).toBe(events.length);
  const receipts = events.filter(({ type }) => type === 'receipt');
  expect(receipts).toHaveLength(row.ended_at === null ? 0 : 1);
  if (row.ended_at !== null) expect(events.at(-1)?.type).toBe('receipt');
}
