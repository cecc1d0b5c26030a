/** Tests of `truecast run --id`: the same command again, also after a kill. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { git, MAIN, makeRepository, truecast } from './cli-fixture.ts';

interface Place {
  readonly repo: string;
  /** The words of the command. */
  readonly words: readonly string[];
  starts(): number;
}

/** A repository, and an agent that commits `b.txt` and `c.txt` unless they are there, and answers. */
function makePlace(between = ''): Place {
  const repo = makeRepository();
  const folder = dirname(repo);
  const log = join(folder, 'starts');
  const commit = (name: string): string =>
    `[ -e ${name} ] || { echo ${name} > ${name}; git add ${name}; git commit -q -m ${name}; }`;
  const answer = `echo '<result>{"answer":42}</result>'`;
  const lines = [`echo start >> ${log}`, commit('b.txt'), between, commit('c.txt'), answer];
  writeFileSync(join(folder, 'agent.sh'), lines.join('\n'));
  const agent = `command:sh ${join(folder, 'agent.sh')}`;
  return {
    repo,
    words: ['run', 'Work.', '--sandbox', 'none', '--agent', agent, '--schema', '../s.json'],
    starts: () => readFileSync(log, 'utf8').trim().split('\n').length,
  };
}

describe('the same command with --id', () => {
  it.each([
    ['a new branch', [], /^truecast\//u],
    ['the current one', ['--merge'], /^main$/u],
    ['no branch', ['--read-only'], /^$/u],
  ])('prints the same result again, and starts no agent, on %s', async (_title, flags, branch) => {
    const { repo, words, starts } = makePlace();
    const first = await truecast(repo, ...words, ...flags, '--id', 'job-1', '--json');
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const second = await truecast(repo, ...words, ...flags, '--id', 'job-1', '--json');
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    const [result, again] = [first, second].map(
      ({ stdout }) => JSON.parse(stdout) as { output: object; branch?: string; commits?: object[] },
    );
    expect(again).toMatchObject({ output: { answer: 42 } });
    expect([again?.branch, again?.commits]).toEqual([result?.branch, result?.commits]);
    expect(again?.branch ?? '').toMatch(branch);
    expect(starts()).toBe(1);
  });

  it('continues after a kill, if the agent may start again', async () => {
    const { repo, words, starts } = makePlace('[ -e ../../../../go ] || { : > ../waits; sleep 600; }');
    const args = [...words, '--id', 'job-1', '--merge'];
    const killed = execa(process.execPath, [MAIN, ...args], {
      cwd: repo,
      reject: false,
      env: { HOME: repo },
    });
    const waits = join(repo, '.truecast', 'worktrees', 'waits');
    await expect.poll(() => existsSync(waits), { timeout: 60_000 }).toBe(true);
    killed.kill('SIGKILL');
    await killed;
    const refused = await truecast(repo, ...args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('set `--on-interruption restart`, or pass another `--id`');
    writeFileSync(join(dirname(repo), 'go'), '');
    const continued = await truecast(repo, ...args, '--on-interruption', 'restart');
    expect(continued, continued.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(continued.stdout)).toEqual({ answer: 42 });
    expect((await git(repo, 'log', '--format=%s', 'main')).split('\n')).toEqual(['c.txt', 'b.txt', 'begin']);
    expect(starts()).toBe(2);
  });
});

it.each([
  [['--id', 'a', '--head'], '--head'],
  [['--id', 'a', '--branch-prefix', 'bot'], 'Pass `--branch NAME`, or `--merge`.'],
  [['--id', 'a\nb'], 'Expected `--id` to be a string'],
  [['--on-interruption', 'restart'], 'Pass `--id`.'],
])('refuses %j before anything is started', async (flags, message) => {
  const { repo, words } = makePlace();
  const { exitCode, stderr } = await truecast(repo, ...words, ...flags);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(existsSync(join(repo, '.truecast'))).toBe(false);
});
