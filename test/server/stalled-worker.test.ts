/**
 * A worker stalls after one of its commits, or after a tool's effect (in the short form of the matrix, after each third),
 * until another one has taken over. On SQLite, no other could.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { ToolCallPart } from '../../packages/client/src/wire/message-parts.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnPostgres, type StoreFixture } from '../describe-on-both-stores.ts';
import { matrixColumns } from '../matrix.ts';
import { COUNT, newRequestId, submit } from './answers.ts';
import { effectsOf, effectTools } from './effect-tools.ts';
import { message, OWNER, testServer } from './test-server.ts';

const HOST = await bundledHost(new URL('stopping-worker-host.ts', import.meta.url));
const TIMEOUT_MS = 20_000;
/** Time without a heartbeat after which a worker has lost its chat. */
const LEASE_MS = 300;

/**
 * One call, two in parallel, then the answer. The second message is answered at once. Lost results
 * are not requested again.
 */
function script({ userText, toolResults }: ScriptedTurn): ScriptedReply {
  if (userText === 'Second') return submit('{"output":{"n":2}}');
  const [first] = toolResults;
  if (first === undefined) return reply.tool('note', { at: 1 });
  if (first.name !== 'note') return submit('{"output":{"n":1}}');
  return reply.steps([reply.tool('mark', { at: 2 }), reply.tool('look', { at: 3 })]);
}

const folder = await mkdtemp(join(tmpdir(), 'truecast-crash-'));
const model = await scriptedModelServer({ script });
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked {
  readonly chatId: string;
  readonly requestIds: readonly [string, string];
}

/** Creates a chat with one running and one queued message, without a worker. */
async function ask(machine: ChatMachine): Promise<Asked> {
  const requestIds = [newRequestId(), newRequestId()] as const;
  const [first, second] = requestIds.map((requestId) => ({ requestId, schema: COUNT }));
  const begun = { owner: OWNER, model: 'scripted', message: message('First', first) };
  const { chat } = await machine.createChat(begun);
  const queued = { owner: OWNER, chatId: chat.id, message: message('Second', second) };
  await machine.sendMessage({ ...queued, busyBehavior: 'queue' });
  return { chatId: chat.id, requestIds };
}

interface Host {
  readonly process: ChildProcess;
  readonly points: string[];
}

function startHost(url: string, effects: string, stopAt: number): Host {
  const given = [HOST, url, model.openaiUrl, effects, String(stopAt)];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const points: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => points.push(...text.trimEnd().split('\n')));
  return { process: child, points };
}

async function kill({ process: child }: Host): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const startedMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedMs > TIMEOUT_MS) throw new TypeError(`It never came to ${what}.`);
    await sleep(10);
  }
}

async function untilIdle(machine: ChatMachine, chatId: string): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    const chat = await machine.readChat({ owner: OWNER, chatId });
    return chat.status === 'waiting' && chat.queueLength === 0;
  };
  await until(isIdle, 'rest');
}

let folders = 0;

async function effectsFolder(): Promise<string> {
  folders += 1;
  const path = join(folder, `effects-${folders}`);
  await mkdir(path);
  return path;
}

/** Runs the chat without faults and returns the points at which one could occur. */
async function findPoints(): Promise<readonly string[]> {
  const url = join(folder, 'dry.sqlite');
  const store = await openStore({ url });
  const machine = createChatMachine({ store });
  const { chatId } = await ask(machine);
  const host = startHost(url, await effectsFolder(), 0);
  await untilIdle(machine, chatId);
  await kill(host);
  await store.close();
  return host.points;
}

const points = await findPoints();

/** Another worker, in this process, continues the first one's work. */
async function goOn(store: Store, effects: string, asked: Asked): Promise<void> {
  await using server = await testServer({
    store,
    script,
    tools: effectTools(effects, () => undefined),
    machine: { leaseMs: LEASE_MS },
  });
  await untilIdle(server.machine, asked.chatId);
}

async function expectWhole(
  machine: ChatMachine,
  effects: string,
  { chatId, requestIds }: Asked,
): Promise<void> {
  for (const [index, requestId] of requestIds.entries()) {
    const { receipt } = await machine.readRequest({ owner: OWNER, requestId });
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: index + 1 } });
  }
  const { messages, executions } = await machine.loadTurn(chatId);
  const parts = messages.flatMap((row) => row.parts);
  const outcomes = parts.flatMap((part) => (part.type === 'outcome' ? [part.request_id] : []));
  expect(outcomes).toEqual(requestIds);
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  expect(executions).toEqual([]);
  const counts = effectsOf(effects);
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool_call');
  expect(calls.map(({ tool_name }) => tool_name)).toEqual([
    'note',
    'mark',
    'look',
    'submit_structured_output',
    'submit_structured_output',
  ]);
  for (const { tool_name, tool_call_id, args } of calls.slice(0, 3)) {
    const result = parts.find((part) => part.type === 'tool_result' && part.tool_call_id === tool_call_id);
    const isLost = result?.type === 'tool_result' && result.synthetic === 'unknown';
    const count = counts.get(`${tool_name} ${args.replaceAll(' ', '')}`) ?? 0;
    // Repeatable work is never lost. Everything else runs once, or the model is informed that the
    // outcome is unknown.
    if (tool_name === 'look') expect([isLost, count >= 1]).toEqual([false, true]);
    else expect(isLost ? count <= 1 : count === 1, `${tool_name}: ${count}`).toBe(true);
  }
}

/** Runs a worker in a separate process until it stalls at a point. */
async function stopAt(fixture: StoreFixture, point: number): Promise<Stopped> {
  const url = await fixture.freshUrl();
  const store = await fixture.open(url);
  const machine = createChatMachine({ store });
  const asked = await ask(machine);
  const effects = await effectsFolder();
  const host = startHost(url, effects, point);
  await until(() => host.points.length >= point, `point ${point}`);
  return { store, machine, asked, effects, host };
}

interface Stopped {
  readonly store: Store;
  readonly machine: ChatMachine;
  readonly asked: Asked;
  readonly effects: string;
  readonly host: Host;
}

const places = points.map((name, index) => ({ name: name.replace(/^\d+ /u, ''), point: index + 1 }));
const [, batchFrom = 0] = places.filter(({ name }) => name === 'commitStep').map(({ point }) => point);
const [, batchTo = 0] = places.filter(({ name }) => name === 'commitToolResults').map(({ point }) => point);
/**
 * One of two parallel calls can stall inside a transaction. The database releases its locks only
 * after a minute.
 */
const lonePlaces = places.filter(({ point }) => point <= batchFrom || point >= batchTo);

describeOnPostgres(`A worker that stands still and wakes up later,`, (fixture) => {
  it.each(matrixColumns(0, lonePlaces, { rows: 3 }))(
    'at $point, after $name',
    { timeout: TIMEOUT_MS },
    async ({ point }) => {
      const { store, machine, asked, effects, host } = await stopAt(fixture, point);
      await goOn(store, effects, asked);
      host.process.kill('SIGCONT');
      await sleep(100);
      await kill(host);
      await expectWhole(machine, effects, asked);
    },
  );
});

it('there are points to stall at, including tool effects', () => {
  expect(points.length).toBeGreaterThan(12);
  expect(points.filter((name) => name.includes('effect'))).toHaveLength(3);
});
