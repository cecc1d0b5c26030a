/**
 * Kills a whole server at the commits of two turns (in the short form of the matrix, at the first one on SQLite, and at an
 * effect of a tool on Postgres). It is restarted or another one takes over, and its client notices only a pause.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { ToolCallPart } from '../../packages/client/src/wire/message-parts.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { FORM } from '../matrix.ts';
import { submit } from './answers.ts';
import { effectsOf } from './effect-tools.ts';
import { converse, type Conversation } from './steadfast-client.ts';
import { createStepper } from './stepped-server.ts';
import { OWNER } from './test-server.ts';

const TIMEOUT_MS = 600_000;
/** Most of an attempt is spent waiting for locks of a killed process. */
const TRIES_AT_ONCE = 3;
/** Work after the receipts, such as the end of a job, must finish by then. */
const LATE_MS = 10_000;

const folder = await mkdtemp(join(tmpdir(), 'truecast-server-crash-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * One call, two in parallel, one that the client runs, then the answer. The second message is
 * answered at once.
 */
function script({ userText, lastToolResult }: ScriptedTurn): ScriptedReply {
  if (userText === 'Second') return submit('{"output":{"n":2}}');
  switch (lastToolResult?.name) {
    case undefined:
      return reply.tool('note', { at: 1 });
    case 'note':
      return reply.steps([reply.tool('mark', { at: 2 }), reply.tool('look', { at: 3 })]);
    case 'ask_user':
      return submit('{"output":{"n":1}}');
    default:
      return reply.tool('ask_user', { at: 4 });
  }
}

interface Played {
  readonly points: readonly string[];
  readonly storeUrl: string;
  readonly effects: string;
  readonly model: ScriptedModelServer;
  readonly conversation: Conversation;
}

let plays = 0;

interface PlayOptions {
  readonly storeUrl: string;
  /** Number of the point, or the effect of a tool. 0 for never. */
  readonly killAt: number | string;
  /** 1: the killed one is restarted. 2: the other one takes over. */
  readonly servers: number;
}

const isEffect = (point: string): boolean => point.startsWith('effect');

/** Returns true if the last point is the one at which a server is killed. */
function isKillPoint(points: readonly string[], killAt: number | string): boolean {
  return typeof killAt === 'number' ? points.length === killAt : points.indexOf(killAt) === points.length - 1;
}

async function play({ storeUrl, killAt, servers }: PlayOptions): Promise<Played> {
  plays += 1;
  const effects = join(folder, `effects-${plays}`);
  await mkdir(effects);
  const before = await openStore({ url: storeUrl });
  const { token } = await issueToken(before, { name: 'test', owner: OWNER });
  await before.close();
  const sent = Promise.withResolvers<undefined>();
  await using model = await scriptedModelServer({
    script: async (turn) => {
      await sent.promise;
      return script(turn);
    },
  });
  const stepper = createStepper({
    storeUrl,
    modelUrl: model.openaiUrl,
    effects,
    cache: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    stopsAt: (points) => isKillPoint(points, killAt),
  });
  const running = new Set(await Promise.all(Array.from({ length: servers }, stepper.start)));
  const url = (): string => [...running][0]?.url ?? 'http://127.0.0.1:1';
  const conversing = converse({ token, url, onSent: () => sent.resolve(undefined) });
  const killing = stepper.stopped.then(async (victim) => {
    running.delete(victim);
    await victim.kill();
    if (servers === 1) running.add(await stepper.start());
  });
  try {
    const conversation = await conversing;
    if (killAt !== 0) await Promise.race([killing, sleep(LATE_MS, undefined, { ref: false })]);
    return { points: [...stepper.points], storeUrl, effects, model, conversation };
  } finally {
    await Promise.all([...running].map((server) => server.kill()));
  }
}

/**
 * Two servers join commits differently from play to play. One that came to rest before its kill
 * point is played again, and killed at the last point that it had reached.
 */
async function playUntilKilled(
  options: PlayOptions & { readonly killAt: number },
  freshUrl: () => Promise<string>,
): Promise<Played> {
  const played = await play(options);
  if (played.points.length >= options.killAt) return played;
  await expectWhole(played);
  const killAt = played.points.length;
  const again = await play({ ...options, storeUrl: await freshUrl(), killAt });
  if (again.points.length < killAt) {
    throw new TypeError(`It came to rest after ${again.points.length} points.`);
  }
  return again;
}

async function expectWhole({ storeUrl, effects, model, conversation }: Played): Promise<void> {
  const { chatId, requestIds, receipts, messages, events } = conversation;
  receipts.forEach((receipt, index) =>
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: index + 1 } }),
  );
  const parts = messages.flatMap(({ content }) => content);
  const outcomes = parts.flatMap((part) => (part.type === 'outcome' ? [part.request_id] : []));
  expect(outcomes).toEqual(requestIds);
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool_call');
  expect(calls.map(({ tool_name }) => tool_name)).toEqual([
    'note',
    'mark',
    'look',
    'ask_user',
    'submit_structured_output',
    'submit_structured_output',
  ]);
  const counts = effectsOf(effects);
  const told = JSON.stringify(model.requests.at(-1)?.body);
  for (const { tool_name, tool_call_id, args } of calls.slice(0, 3)) {
    const result = parts.find((part) => part.type === 'tool_result' && part.tool_call_id === tool_call_id);
    const isLost = result?.type === 'tool_result' && result.synthetic === 'unknown';
    const count = counts.get(`${tool_name} ${args.replaceAll(' ', '')}`) ?? 0;
    // Repeatable work is never lost. Everything else runs once, or the model is informed that the
    // outcome is unknown.
    if (tool_name === 'look') expect([isLost, count >= 1]).toEqual([false, true]);
    else expect(isLost ? count <= 1 : count === 1, `${tool_name}: ${count}`).toBe(true);
    if (isLost) expect(told).toContain('It is unknown whether this call was executed');
  }
  const ids = events.flatMap(({ id }) => id ?? []);
  expect(ids).toEqual([...new Set(ids)]);
  const toldOf = events.flatMap(({ event }) => (event.type === 'message' ? [event.message.id] : []));
  expect(toldOf).toEqual(messages.map(({ id }) => id));
  const final = events.flatMap(({ event }) =>
    event.type === 'receipt' && event.receipt.status === 'succeeded' ? [event.receipt] : [],
  );
  expect(final).toEqual(receipts);
  const store = await openStore({ url: storeUrl });
  const { executions, chat } = await createChatMachine({ store }).loadTurn(chatId);
  await store.close();
  expect([executions, chat.status, chat.queueLength]).toEqual([[], 'waiting', 0]);
}

/** Runs it for each item, with limited concurrency. */
async function forEach(items: readonly number[], work: (item: number) => Promise<void>): Promise<void> {
  const left = [...items];
  const take = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: TRIES_AT_ONCE }, take));
}

/** Kill points of the short form: of an effect, it can be unknown whether it happened. No play must count the points first. */
const SHORT_POINTS = { sqlite: 1, postgres: 'effect: mark' } as const;
const EFFECTS = 3;
const FEWEST_COMMITS = 15;

describeOnBothStores('A server that is killed', ({ dialect, freshUrl }) => {
  const servers = dialect === 'sqlite' ? 1 : 2;

  it('at any commit loses nothing and repeats nothing', { timeout: TIMEOUT_MS }, async () => {
    if (FORM === 'short') {
      const killAt = SHORT_POINTS[dialect];
      const played = await play({ storeUrl: await freshUrl(), killAt, servers });
      expect(played.points.filter(isEffect).length).toBeGreaterThanOrEqual(EFFECTS);
      expect(played.points.length).toBeGreaterThan(EFFECTS + FEWEST_COMMITS);
      await expectWhole(played);
      return;
    }
    const dry = await play({ storeUrl: await freshUrl(), killAt: 0, servers });
    await expectWhole(dry);
    const { points } = dry;
    const effects = points.filter(isEffect);
    const commits = points.length - effects.length;
    process.stdout.write(`${dialect}: ${commits} commits and ${effects.length} effects of tools\n`);
    expect(effects).toHaveLength(EFFECTS);
    expect(commits).toBeGreaterThan(FEWEST_COMMITS);
    const failures: string[] = [];
    const numbers = points.map((_point, index) => index + 1);
    await forEach(numbers, async (killAt) => {
      try {
        await expectWhole(await playUntilKilled({ storeUrl: await freshUrl(), killAt, servers }, freshUrl));
      } catch (error) {
        failures.push(`at ${killAt}, after ${points[killAt - 1]}: ${String(error)}`);
      }
    });
    expect(failures).toEqual([]);
  });
});
