/** Runs the example of a job queue: its worker is killed in a job, and the next one lands it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';

const PROGRAM = join(import.meta.dirname, '../../examples/job-queue/fix-issues.ts');

describeOnPostgres('an agent behind a job queue', ({ freshUrl }) => {
  it('lands a job once whose worker was killed', async () => {
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
      execa(process.execPath, [PROGRAM, ...args], options);
    await start('send', 'It crashes');
    const killed = start('work');
    await expect.poll(() => existsSync(waits), { timeout: 60_000 }).toBe(true);
    killed.kill('SIGKILL');
    await killed;
    const next = start('work');
    let said = '';
    next.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said, { timeout: 120_000 }).toBe('It crashes: an empty list, 2 commits\n');
    next.kill('SIGTERM');
    await next;
    expect(git(cwd, 'log', '--format=%s', 'main').split('\n')).toEqual(['rest', 'half', 'begin']);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
    const commits = git(cwd, 'rev-list', '--reverse', 'main').split('\n').slice(1);
    const job = { issue: 'It crashes', state: 'completed', executions: 2 };
    expect(JSON.parse((await start('list')).stdout)).toEqual({
      ...job,
      output: { cause: 'an empty list', commits },
    });
  });
});
