/**
 * Kills a worker before and after each commit of an agent run (in the short form of the matrix: the first point on
 * SQLite, the sixth on Postgres, and one in podman). The next worker ends the run with one receipt, all commits, and no agent too many.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import type { RunRecord } from '../../packages/server/src/runs/state/run-records.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { ExecutionPhase } from '../../packages/truecast/src/run/executions/execution-record.ts';
import { openExecutionStore } from '../../packages/truecast/src/run/executions/execution-store.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { describeOnBothStores, describeOnSqlite, type StoreFixture } from '../describe-on-both-stores.ts';
import { FORM } from '../matrix.ts';
import { git } from '../run/fixture.ts';
import { CLAUDE, makeRunWorld, OWNER, type RunWorld } from './run-world.ts';

const TIMEOUT_MS = 900_000;
const SCRIPT = [CLAUDE.begin, CLAUDE.commit('half'), CLAUDE.commit('rest'), CLAUDE.answer(42)];

interface Played {
  readonly world: RunWorld;
  readonly runId: string;
  /** Phase of the record on the machine at the kill. Undefined before the first execution. */
  readonly phase: ExecutionPhase | undefined;
  /** Status of the row at the kill. */
  readonly status: RunRecord['status'];
}

interface Kill {
  readonly sandbox: 'bubblewrap' | 'podman';
  /** Number of the point, or how it begins. 0 kills no worker. */
  readonly killAt: number | string;
}

/** Plays one run. */
async function play(store: Store, url: string, { sandbox, killAt }: Kill): Promise<Played> {
  const world = await makeRunWorld({ store, url, script: SCRIPT, sandbox });
  const runId = await world.create();
  const stopped = Promise.withResolvers<undefined>();
  const first = await world.start({ stopAt: killAt, onStop: () => stopped.resolve(undefined) });
  const ended = world.ended(runId);
  await Promise.race([ended, stopped.promise]);
  await first.kill();
  const { status } = await world.machine.readRun({ owner: OWNER, runId });
  const record = openExecutionStore(repositoryStateFolder(join(world.cwd, '.git')), runId).read();
  const next = killAt === 0 ? undefined : await world.start();
  await ended;
  await next?.kill();
  return { world, runId, phase: record?.phase, status };
}

async function expectWhole({ world, runId, phase, status }: Played): Promise<void> {
  const { machine, cwd } = world;
  const run = await machine.readRun({ owner: OWNER, runId });
  expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
  const subjects = world.subjects(runId);
  const starts = subjects.filter((subject) => subject.startsWith('start'));
  expect(subjects.filter((subject) => !subject.startsWith('start'))).toEqual(['half', 'rest']);
  // Before the agent's start and after its answer is stored, none is started again.
  expect(starts.length).toBeLessThanOrEqual(phase === 'working' ? 2 : 1);
  const commits = git(cwd, 'rev-list', '--reverse', `truecast/runs/${runId}`).split('\n').slice(1);
  expect(run.result?.commits).toEqual(commits);
  expect(run.headSha).toBe(commits.at(-1));
  const events = await machine.listRunEvents({ runId, after: 0, limit: 1_000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  expect(events.filter(({ data }) => data.includes('"type":"receipt"'))).toHaveLength(1);
  const executions = await machine.listExecutions(runId);
  expect(executions.map(({ ending }) => ending)).toEqual(
    status === 'running' ? ['lost', 'ended'] : ['ended'],
  );
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
}

/** The one point at which the container lives and nothing of its work is stored: the short form tries it in podman. */
const LIVE_CONTAINER = 'before delete';

async function playOne({ open, freshUrl }: StoreFixture, kill: Kill): Promise<Played> {
  const url = await freshUrl();
  return play(await open(url), url, kill);
}

async function killAtOne(fixture: StoreFixture): Promise<void> {
  const played = await playOne(fixture, { sandbox: 'podman', killAt: LIVE_CONTAINER });
  expect(played.world.points.some((point) => point.startsWith(LIVE_CONTAINER))).toBe(true);
  expect(played.status).toBe('running');
  await expectWhole(played);
}

/** Kill points of the short form: before a commit and after one. No run must count the points first. */
const SHORT_POINTS = { sqlite: 1, postgres: 6 } as const;
/** Claim, start of the agent, answer and receipt. */
const FEWEST_COMMITS = 4;

/** Number of commits that began. A run can be read as ended before the point after its last commit is. */
function begunCommits(points: readonly string[]): number {
  return points.filter((point) => point.startsWith('before ')).length;
}

/** Kills a worker at each point that the form tries. */
async function killAtEach(fixture: StoreFixture, sandbox: Kill['sandbox']): Promise<void> {
  const { dialect } = fixture;
  // The points before a commit have odd numbers, and those after it even ones: each database has one kind.
  if (FORM === 'short') {
    const killAt = SHORT_POINTS[dialect];
    const played = await playOne(fixture, { sandbox, killAt });
    expect(played.world.points.length).toBeGreaterThan(killAt);
    // At least one is begun again: the next worker claims the run too.
    expect(begunCommits(played.world.points)).toBeGreaterThan(FEWEST_COMMITS);
    await expectWhole(played);
    return;
  }
  const dry = await playOne(fixture, { sandbox, killAt: 0 });
  await expectWhole(dry);
  const { points } = dry.world;
  process.stdout.write(`${dialect}, ${sandbox}: ${points.length / 2} commits\n`);
  expect(begunCommits(points)).toBeGreaterThanOrEqual(FEWEST_COMMITS);
  const numbers = points.map((_point, index) => index + 1);
  for (const killAt of numbers) {
    const played = await playOne(fixture, { sandbox, killAt });
    await expectWhole(played).catch((error: unknown) => {
      throw new TypeError(`Killed at ${killAt}, ${points[killAt - 1]}: ${String(error)}`, { cause: error });
    });
  }
}

describeOnBothStores('A worker of agent runs that is killed', (fixture) => {
  itInBubblewrap('at any commit loses nothing and repeats nothing', { timeout: TIMEOUT_MS }, async () => {
    await killAtEach(fixture, 'bubblewrap');
  });
});

describeWithEngine('podman', 'A worker whose agents are in podman', () => {
  const declare = FORM === 'whole' ? describeOnBothStores : describeOnSqlite;
  declare('is killed', (fixture) => {
    it('at any commit, and loses and repeats nothing', { timeout: TIMEOUT_MS }, () =>
      FORM === 'whole' ? killAtEach(fixture, 'podman') : killAtOne(fixture),
    );
  });
});
