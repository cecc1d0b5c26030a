/** Tests of D11: a run with an `id` whose process is killed in three executions, and executed once more. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { MAIN } from '../cli/cli-fixture.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { makeWorld, subjects } from '../run/repeating-world.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { CLAUDE, makeRunWorld } from '../server/run-world.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { runCommand } from './routes/command.ts';

/** The log of starts is a commit: the agent of a sandbox reaches no other file. */
const BEGIN = 'git commit -q --allow-empty -m "start $RESUMED"\necho SESSION s1';
const KILLS = [
  // The agent has answered, and its answer is not stored.
  { write: 6, when: 'before' },
  // It answered again, in its session, and the answer is stored.
  { write: 4, when: 'after' },
  // The work has landed, and the result is not stored.
  { write: 3, when: 'before' },
] as const;
const LANDED = ['begin', 'start', 'b.txt', 'c.txt', 'start s1'];

async function landOnce(sandbox: 'none' | 'bubblewrap' | 'podman'): Promise<void> {
  const { cwd, execute } = makeWorld({ begin: BEGIN, host: { sandbox } });
  for (const kill of KILLS) expect(await execute({ kill }), JSON.stringify(kill)).toBeUndefined();
  expect(subjects(cwd), 'the landing was killed after it').toEqual(LANDED);
  const result = await execute();
  expect(result).toMatchObject({ answer: '#42', branch: 'main' });
  expect(result?.commits).toHaveLength(LANDED.length - 1);
  expect(subjects(cwd)).toEqual(LANDED);
  expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  expect(await execute()).toEqual({ ...result, writes: 0 });
}

/** The agent of the first execution waits in its turn, and is killed there. */
async function landOnceByCommand(): Promise<void> {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  const commit = (name: string): string =>
    `git cat-file -e HEAD:${name} 2> /dev/null || { echo 1 > ${name} && git add ${name} && git commit -q -m ${name}; }`;
  const waits = `[ -e ${folder}/waits ] || { : > ${folder}/waits; sleep 600; }`;
  writeFileSync(join(folder, 'agent.sh'), [commit('b.txt'), waits, commit('c.txt')].join('\n'));
  const agent = ['--agent', `command:sh ${join(folder, 'agent.sh')}`, '--sandbox', 'none', '--merge'];
  const args = ['run', 'Work.', ...agent, '--id', 'job-1', '--on-interruption', 'restart'];
  const env = { HOME: dirname(cwd) };
  const killed = execa(process.execPath, [MAIN, ...args], { cwd, env, reject: false });
  await expect.poll(() => existsSync(join(folder, 'waits')), { timeout: 60_000 }).toBe(true);
  killed.kill('SIGKILL');
  await killed;
  for (const _execution of [2, 3]) {
    const { exitCode, output } = await runCommand({ cwd, args, env });
    expect(exitCode, output).toBe(0);
    expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
  }
}

/** The worker of a run is killed while its agent works, and another one executes the run. */
async function continueKilledWorker(): Promise<void> {
  const url = join(temporaryFolder(), 'store.sqlite');
  const store = await openStore({ url });
  onTestFinished(() => store.close());
  const { begin, session, storeSession, commit, say, answer } = CLAUDE;
  const wrong = `[ -n "$again" ] || { ${answer('wrong')}; exit; }`;
  const waits = `[ -e waits ] || { : > waits; ${say('I wait.')}; sleep 600; }`;
  const turns = [begin, session, storeSession, commit('b.txt'), wrong, waits, commit('c.txt'), 'rm waits'];
  const world = await makeRunWorld({ store, url, script: [...turns, answer(42)] });
  const runId = await world.create();
  const killed = await world.start();
  await world.said(runId, 'I wait.');
  await killed.kill();
  const next = await world.start();
  const run = await world.ended(runId);
  await next.kill();
  expect(run).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}', executions: 2 });
  const landed = ['start', 'b.txt', 'start again', 'start again', 'c.txt'];
  expect(world.subjects(runId)).toEqual(landed);
  expect(run.result?.commits).toHaveLength(landed.length);
}

declareGuarantee('D11', {
  'run/none': () => landOnce('none'),
  'run/bubblewrap': () => landOnce('bubblewrap'),
  'run/podman': () => landOnce('podman'),
  runs: inBubblewrap(continueKilledWorker),
  command: landOnceByCommand,
});
