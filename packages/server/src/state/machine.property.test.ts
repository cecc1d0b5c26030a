/**
 * Property: any order of client and worker actions keeps the invariants. Each request has one
 * receipt, each call has a result, and no message is lost.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { matrixRuns } from '../../../../test/matrix.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { Turn } from './chat-reads.ts';
import type { Fence } from './rows/chat-update.ts';
import {
  NOT_PRODUCED,
  OWNER,
  SUCCESS,
  testMachine,
  toolStep,
  toolResult,
  userMessage,
  type TestMachine,
} from './test-chats.ts';
import { viewOf } from '../test-rows.ts';

const ACTIONS = [
  'send',
  'send-interrupting',
  'edit',
  'delete-queued',
  'promote-queued',
  'interrupt',
  'submit-results',
  'compact',
  'plan-mode',
  'acquire',
  'take-over',
  'release',
  'step',
  'server-call',
  'client-call',
  'claim',
  'results',
  'require-action',
  'expire',
  'resume',
  'retry',
  'fault',
  'finish',
  'finish-failed',
  'fail',
  'finish-interruption',
] as const;

/** An action, with a number that selects its target. */
const action = fc.record({
  name: fc.constantFrom(...ACTIONS),
  pick: fc.nat(20),
  isAsking: fc.boolean(),
});
type Action = typeof action extends fc.Arbitrary<infer TAction> ? TAction : never;

/** The test's knowledge of the chat. */
interface World {
  readonly machine: TestMachine;
  readonly store: Store;
  readonly chatId: string;
  /** All fences so far, newest last. Older ones must be rejected. */
  readonly fences: Fence[];
  /** Accepted requests, with their receipts after they were seen. */
  readonly requests: Map<string, string | undefined>;
  calls: number;
  /** The chat as read after each change. */
  readonly turns: Turn[];
}

describeOnBothStores('any order of changes', (open) => {
  it('writes exactly one receipt for each accepted request, and keeps every message and call in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const world = await newWorld(open());
        for (const step of actions) {
          await attempt(() => act(world, step));
          await assertInvariants(world);
        }
        await drain(world);
        await assertInvariants(world);
        expect([...world.requests.values()]).not.toContain(undefined);
      }),
      { numRuns: open().dialect === 'sqlite' ? matrixRuns(8, 60) : matrixRuns(3, 12) },
    );
  });

  it('writes them even for three concurrent changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(action, action, action), { minLength: 3, maxLength: 12 }),
        async (rounds) => {
          const world = await newWorld(open());
          for (const round of rounds) {
            await Promise.all(round.map((step) => attempt(() => act(world, step))));
            await assertInvariants(world);
          }
          await drain(world);
          await assertInvariants(world);
          expect([...world.requests.values()]).not.toContain(undefined);
        },
      ),
      { numRuns: open().dialect === 'sqlite' ? matrixRuns(5, 20) : matrixRuns(3, 12) },
    );
  });
});

async function newWorld(store: Store): Promise<World> {
  const machine = testMachine(store);
  const requestId = crypto.randomUUID();
  const message = userMessage('first', requestId);
  const { chat } = await machine.createChat({ owner: OWNER, model: 'scripted', message });
  return {
    machine,
    store,
    chatId: chat.id,
    fences: [],
    requests: new Map([[requestId, undefined]]),
    calls: 0,
    turns: [],
  };
}

/** Runs an action that can be refused. A refusal is a result, any other error is a defect. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!ChatStateError.isInstance(error) || error.code === 'invalid-state') throw error;
  }
}

async function act(world: World, step: Action): Promise<unknown> {
  const { machine, chatId } = world;
  switch (step.name) {
    case 'send':
      return send(world, step, 'queue');
    case 'send-interrupting':
      return send(world, step, 'interrupt');
    case 'edit':
      return edit(world, step);
    case 'delete-queued':
      return machine.deleteQueued({ owner: OWNER, chatId, queuedId: await pickQueued(world, step) });
    case 'promote-queued':
      return machine.promoteQueued({ owner: OWNER, chatId, queuedId: await pickQueued(world, step) });
    case 'interrupt':
      return machine.interrupt({ owner: OWNER, chatId });
    case 'submit-results':
      return submit(world);
    case 'compact':
      return machine.requestCompaction({ owner: OWNER, chatId });
    case 'plan-mode':
      return machine.patchChat({ owner: OWNER, chatId, planMode: step.isAsking });
    case 'take-over':
      machine.clock.nowMs += 60_000;
      return acquire(world);
    case 'acquire':
      return acquire(world);
    case 'expire':
      machine.clock.nowMs += step.isAsking ? 300_000 : 1;
      return machine.expireRequiresAction(chatId);
    case 'resume':
      machine.clock.nowMs += step.isAsking ? 60_000 : 1;
      return machine.resumeQueue(chatId);
    default:
      return work(world, step);
  }
}

/** An action of a worker, mostly of the newest one. */
async function work(world: World, step: Action): Promise<unknown> {
  const { machine, chatId, fences } = world;
  const fence = step.pick === 20 ? fences.at(0) : fences.at(-1);
  if (fence === undefined) return undefined;
  const { executions, request } = await machine.loadTurn(chatId);
  const keep = ({ fence: next }: { readonly fence: Fence }): number => fences.push(next);
  switch (step.name) {
    case 'step':
      return keep(
        await machine.commitStep(fence, {
          messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }],
        }),
      );
    case 'server-call':
      // The turn runner answers its calls before it calls the model again.
      if (executions.length > 0) return undefined;
      return keep(
        await machine.commitStep(fence, toolStep(`call-${(world.calls += 1)}`, 'server', step.isAsking)),
      );
    case 'client-call':
      if (executions.length > 0) return undefined;
      return keep(await machine.commitStep(fence, toolStep(`call-${(world.calls += 1)}`, 'client')));
    case 'claim':
      return Promise.all(
        executions.map(({ messageId, toolCallId, inputHash }) =>
          machine.claimTool(fence, { messageId, toolCallId, inputHash }),
        ),
      );
    case 'results':
      return keep(
        await machine.commitToolResults(fence, {
          results: executions.map(({ messageId, toolCallId }) => toolResult(messageId, toolCallId)),
        }),
      );
    case 'require-action':
      if (executions.length === 0 || executions.some(({ runBy }) => runBy === 'server')) return undefined;
      return machine.enterRequiresAction(fence);
    case 'retry':
      return machine.recordRetry(fence, {
        attempt: 1,
        delayMs: step.isAsking ? 1_000 : 0,
        error: { kind: 'x', message: 'x', isRetryable: true },
      });
    case 'fault':
      return machine.recordFault(fence, { error: NO_KEY, pauseMs: step.isAsking ? 1_000 : 0 });
    case 'release':
      return machine.release(fence);
    case 'finish':
      return machine.finishTurn(fence, request === undefined ? {} : { ending: SUCCESS });
    case 'finish-failed':
      return machine.finishTurn(fence, { ending: NOT_PRODUCED });
    case 'fail':
      return machine.failTurn(fence, { error: { kind: 'x', message: 'x', isRetryable: false } });
    default:
      return machine.finishInterruption(fence);
  }
}

/** A queued message, sometimes a missing one. */
async function pickQueued({ machine, chatId }: World, { pick }: Action): Promise<number> {
  const queue = await machine.listQueue({ owner: OWNER, chatId });
  return queue[pick % (queue.length + 1)]?.id ?? pick;
}

async function edit(world: World, step: Action): Promise<void> {
  const { machine, chatId } = world;
  const { messages } = await machine.loadTurn(chatId);
  const ofUser = messages.filter(({ role }) => role === 'user').map(({ id }) => id);
  const messageId = ofUser[step.pick % (ofUser.length + 1)] ?? step.pick;
  await asking(world, step, (message) => machine.editMessage({ owner: OWNER, chatId, messageId, message }));
}

async function send(world: World, step: Action, busyBehavior: 'queue' | 'interrupt'): Promise<unknown> {
  const { machine, chatId } = world;
  return asking(world, step, (message) =>
    machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior }),
  );
}

/** Sends a message and records its request if accepted. */
async function asking(
  world: World,
  { isAsking }: Action,
  sendIt: (message: ReturnType<typeof userMessage>) => Promise<unknown>,
): Promise<void> {
  const requestId = isAsking ? crypto.randomUUID() : undefined;
  await sendIt(userMessage('more', requestId));
  if (requestId !== undefined) world.requests.set(requestId, undefined);
}

async function acquire({ machine, chatId, fences }: World): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'worker' });
  fences.push(fence);
}

async function submit({ machine, chatId }: World): Promise<void> {
  const { executions } = await machine.loadTurn(chatId);
  const results = executions.map(({ toolCallId }) => ({ toolCallId, output: { seen: true } }));
  await machine.submitToolResults({ owner: OWNER, chatId, results });
}

const NO_KEY = { kind: 'auth', message: 'No key.', isRetryable: false };

/** Advances the clock and lets workers run, without further client actions. */
async function drain(world: World): Promise<void> {
  const { machine, chatId } = world;
  for (let turns = 0; turns < 60; turns += 1) {
    const { chat, request } = await machine.loadTurn(chatId);
    if (chat.status === 'waiting') return;
    if (chat.status === 'error' && chat.queueLength === 0) return;
    machine.clock.nowMs += 600_000;
    const { expired, runnable } = await machine.sweep();
    expect([...expired, ...runnable]).toContain(chatId);
    if (chat.status === 'requires_action' || chat.status === 'error') continue;
    const { fence } = await machine.acquire({ chatId, worker: 'last' });
    if (chat.status === 'interrupting') await machine.finishInterruption(fence);
    else if (turns % 3 === 0) await machine.failTurn(fence, { error: NO_KEY });
    else await machine.finishTurn(fence, request === undefined ? {} : { ending: SUCCESS });
  }
  throw new Error('The chat did not come to rest.');
}

async function assertInvariants(world: World): Promise<void> {
  const { machine, store, chatId, requests } = world;
  const turn = await machine.loadTurn(chatId);
  await assertReadsOn(world, turn);
  const { chat, messages, queue, executions } = turn;
  expect(queue.length).toBe(chat.queueLength);
  const ids = messages.map(({ id }) => id);
  expect(executions.filter(({ messageId }) => !ids.includes(messageId))).toEqual([]);
  const rows = await store.db.selectFrom('chat_requests').selectAll().where('chat_id', '=', chatId).execute();
  expect(rows.map(({ id }) => id).sort()).toEqual([...requests.keys()].sort());
  const running = rows.filter(({ status }) => status === 'running').map(({ id }) => id);
  expect(running).toEqual(chat.requestId === undefined ? [] : [chat.requestId]);
  // The result of the pure function over the rows equals the state machine's column.
  const active = viewOf(messages).activeRequest;
  const open = active.type === 'open' ? [active.request.requestId] : [];
  expect([active.type === 'broken', open]).toEqual([false, running]);
  const queued = rows.filter(({ status }) => status === 'queued').map(({ id }) => id);
  expect(queued.sort()).toEqual(queue.flatMap(({ requestId }) => requestId ?? []).sort());
  for (const { id, status, error, value_text } of rows) {
    if (status === 'queued' || status === 'running') continue;
    const receipt = `${status} ${error} ${value_text}`;
    expect(requests.get(id) ?? receipt).toBe(receipt);
    requests.set(id, receipt);
  }
  assertAnswered(messages, chat.status);
  expect(messages.map(({ id }) => id)).toEqual(
    messages.map(({ id }) => id).toSorted((left, right) => left - right),
  );
}

/** An incremental read from any earlier turn equals a full read. */
async function assertReadsOn({ machine, chatId, turns }: World, turn: Turn): Promise<void> {
  for (const earlier of new Set([turns.at(0), turns.at(turns.length / 2), turns.at(-1)])) {
    if (earlier !== undefined) expect(await machine.loadTurn(chatId, earlier)).toEqual(turn);
  }
  turns.push(turn);
}

/**
 * Every call has one result before the next user message. Open calls exist only at the end of a
 * running turn.
 */
function assertAnswered(
  messages: Awaited<ReturnType<TestMachine['loadTurn']>>['messages'],
  status: string,
): void {
  const open = new Set<string>();
  for (const { role, parts } of messages) {
    if (role === 'user') expect([...open]).toEqual([]);
    for (const part of parts) {
      if (part.type === 'tool_call') open.add(part.tool_call_id);
      if (part.type === 'tool_result') expect(open.delete(part.tool_call_id)).toBe(true);
    }
  }
  if (status === 'waiting' || status === 'error') expect([...open]).toEqual([]);
}
