/**
 * Kills a worker before and after each commit of an agent run (each fourth point on each database in the short
 * form of the matrix). The next worker ends the run with one receipt, all commits, and no agent too many.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import type { RunRecord } from '../../packages/server/src/runs/state/run-records.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { ExecutionPhase } from '../../packages/truecast/src/run/executions/execution-record.ts';
import { openExecutionStore } from '../../packages/truecast/src/run/executions/execution-store.ts';
import { bubblewrapIsMissing } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixColumns } from '../matrix.ts';
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

/** Plays one run. 0 kills no worker. */
async function play(store: Store, url: string, killAt: number): Promise<Played> {
  const world = await makeRunWorld({ store, url, script: SCRIPT });
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

describeOnBothStores('A worker of agent runs that is killed', ({ dialect, open, freshUrl }) => {
  const test = it.skipIf(bubblewrapIsMissing !== undefined || process.platform !== 'linux');

  test('at any commit loses nothing and repeats nothing', { timeout: TIMEOUT_MS }, async () => {
    const playOne = async (killAt: number): Promise<Played> => {
      const url = await freshUrl();
      return play(await open(url), url, killAt);
    };
    const dry = await playOne(0);
    await expectWhole(dry);
    const { points } = dry.world;
    process.stdout.write(`${dialect}: ${points.length / 2} commits\n`);
    expect(points.length).toBeGreaterThan(10);
    const kills = matrixColumns(
      dialect === 'sqlite' ? 0 : 2,
      points.map((_point, index) => index + 1),
      { rows: 4, stride: 4 },
    );
    for (const killAt of kills) {
      const played = await playOne(killAt);
      await expectWhole(played).catch((error: unknown) => {
        throw new TypeError(`Killed at ${killAt}, ${points[killAt - 1]}: ${String(error)}`, { cause: error });
      });
    }
  });
});
