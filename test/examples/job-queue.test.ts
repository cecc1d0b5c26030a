/** Runs the example of a job queue under each engine: its worker is killed in a job, and the next one lands it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { examplesFolder } from '../package/examples-folder.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';

const FOLDER = join(await examplesFolder(), 'job-queue');

describeOnPostgres('an agent behind a job queue', ({ freshUrl }) => {
  it.each([
    { engine: 'pg-boss', program: 'fix-issues.ts', state: 'completed' },
    { engine: 'DBOS', program: 'fix-issues-dbos.ts', state: 'SUCCESS' },
  ])('of $engine lands a job once whose worker was killed', async ({ program, state }) => {
    const cwd = makeRepository();
    const waits = join(temporaryFolder(), 'waits');
    const commit = (name: string): string =>
      `git cat-file -e HEAD:${name} 2> /dev/null || { echo 1 > ${name} && git add ${name} && git commit -q -m ${name}; }`;
    const agent = [
      'cat > /dev/null',
      commit('half'),
      `[ -e ${waits} ] || { : > ${waits}; sleep 600; }`,
      commit('rest'),
      `echo '<fix>{"cause":"an empty list"}</fix>'`,
    ].join('\n');
    const env = { DATABASE_URL: await freshUrl(), TRUECAST_AGENT_COMMAND: agent };
    const options = { cwd, env, reject: false } as const;
    const start = (...args: readonly string[]): ResultPromise<typeof options> =>
      execa(process.execPath, [join(FOLDER, program), ...args], options);
    const killed = start('work', 'It crashes');
    await expect.poll(() => existsSync(waits), { timeout: 60_000 }).toBe(true);
    killed.kill('SIGKILL');
    await killed;
    const next = start('work');
    let said = '';
    next.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said, { timeout: 120_000 }).toBe('It crashes: an empty list, 2 commits\n');
    const commits = git(cwd, 'rev-list', '--reverse', 'main').split('\n').slice(1);
    const receipt = { cause: 'an empty list', commits };
    const job = { issue: 'It crashes', state, executions: 2, output: receipt };
    // The engine stores the receipt after the program has printed it.
    const listed = async (): Promise<unknown> => JSON.parse((await start('list')).stdout);
    await expect.poll(listed, { timeout: 60_000 }).toEqual(job);
    next.kill('SIGTERM');
    await next;
    expect(git(cwd, 'log', '--format=%s', 'main').split('\n')).toEqual(['rest', 'half', 'begin']);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  });
});
