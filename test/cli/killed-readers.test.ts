/** Tests of read-only work that was killed with SIGKILL: the next run removes its worktrees. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { findProcessIn } from '../../packages/truecast/src/process/process-in-folder.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixCases } from '../matrix.ts';
import { git, MAIN, makeRepository, truecast } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';

const SHARED = ['--tag', 'result', '--schema', '../s.json'];
const SANDBOXES = runsBubblewrap ? ['none', 'bubblewrap'] : ['none'];

const batchOf =
  (script: string, ...more: readonly string[]) =>
  (ready: string): readonly string[] => {
    const inputs = ['--inputs', '../items.jsonl', '--prompt', 'In <result>: {{N}}', '--sandbox', 'none'];
    return ['batch', ...inputs, ...SHARED, '--agent', `command:${script}; ${ready}; exec sleep 60`, ...more];
  };

const runOf =
  (script: string, ...more: readonly string[]) =>
  (ready: string): readonly string[] => {
    const agent = ['--agent', `command:${script}; ${ready}; exec sleep 60`];
    return ['run', '--prompt', 'Work.', ...agent, ...more];
  };

/** Starts a command, kills it when its agent has done its work, and ends the agent. Returns TMPDIR. */
async function killProgram(cwd: string, argsOf: (ready: string) => readonly string[]): Promise<string> {
  const temporary = join(cwd, '..', `tmp-${Math.random()}`);
  mkdirSync(temporary);
  writeFileSync(join(cwd, '..', 'items.jsonl'), '{"N":1}\n');
  // In the agent's folder, because a sandbox hides the others.
  const child = execa(process.execPath, [MAIN, ...argsOf('echo $$ > ready.tmp; mv ready.tmp ready')], {
    cwd,
    reject: false,
    env: { HOME: temporary, TMPDIR: temporary },
  });
  const ended = (async (): Promise<never> => {
    throw new Error(`The command ended early: ${(await child).stderr}`);
  })();
  ended.catch(() => undefined);
  const roots = [join(cwd, '.truecast'), temporary];
  const find = (): string | undefined =>
    roots
      .filter((root) => existsSync(root))
      .flatMap((root) =>
        readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
      )
      .find((path) => basename(path) === 'ready');
  let ready = find();
  while (ready === undefined) {
    await Promise.race([sleep(50), ended]);
    ready = find();
  }
  const pid = await findProcessIn(dirname(ready));
  child.kill('SIGKILL');
  await child;
  if (pid !== undefined) killIfRunning(pid);
  // The processes of a sandbox are in the worktree too, and end after the agent.
  while ((await findProcessIn([dirname(ready), ...roots])) !== undefined) await sleep(20);
  return temporary;
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its sandbox.
  }
}

async function runOnce(repo: string, sandbox = 'none'): Promise<void> {
  const agent = `command:echo '<result>{"answer":1}</result>'`;
  const egress = sandbox === 'none' ? [] : ['--egress', 'none'];
  const args = ['--sandbox', sandbox, ...egress, '--prompt', 'In <result>', '--agent', agent];
  const ended = await truecast(repo, 'run', ...SHARED, ...args);
  expect(ended.exitCode, ended.stderr).toBe(0);
}

function worktrees(repo: string): string[] {
  return readdirSync(join(repo, '.truecast', 'worktrees')).filter((name) => name !== '.gitignore');
}

const references = (repo: string): Promise<string> => git(repo, 'for-each-ref', '--format=%(refname)');

function stores(repo: string): string[] {
  const folder = join(repo, '.git', 'truecast', 'guests');
  return existsSync(folder) ? readdirSync(folder) : [];
}

const FORMS: readonly (readonly [string, string])[] = [
  ['nothing', 'true'],
  ['a detached commit', 'git checkout -q --detach; git commit -q --allow-empty -m a'],
  // In the short form, the killed run below leaves both.
  ['a file', 'echo x > notes.txt'],
  ['a commit', 'git commit -q --allow-empty -m work'],
];

it.each(matrixCases(2, FORMS))(
  'the next run throws away the worktree of a killed read-only batch with %s',
  async (_, script) => {
    const repo = makeRepository();
    await killProgram(repo, batchOf(script, '--read-only'));
    expect(worktrees(repo)).toHaveLength(1);
    await runOnce(repo);
    expect(worktrees(repo)).toEqual([]);
    expect(await references(repo)).toBe('refs/heads/main');
  },
);

it.each(SANDBOXES)('the next run throws away the work of a killed read-only run in %s', async (sandbox) => {
  const repo = makeRepository();
  const script = 'echo x > notes.txt; git add notes.txt; git commit -q -m work; echo y > more.txt';
  await killProgram(
    repo,
    runOf(script, '--read-only', '--sandbox', sandbox, ...(sandbox === 'none' ? [] : ['--egress', 'none'])),
  );
  expect(worktrees(repo)).toHaveLength(1);
  await runOnce(repo, sandbox);
  expect(worktrees(repo)).toEqual([]);
  expect(await references(repo)).toBe('refs/heads/main');
  expect(stores(repo)).toEqual([]);
});

it('the next read-only run outside of a repository removes the copy of a killed one', async () => {
  const repo = makeRepository();
  const folder = join(repo, '..', 'plain');
  mkdirSync(folder);
  const temporary = await killProgram(
    folder,
    runOf('echo x > notes.txt', '--read-only', '--sandbox', 'none'),
  );
  const copies = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('truecast-copy-'));
  expect(copies()).toHaveLength(1);
  const args = ['run', '--read-only', '--sandbox', 'none', '--prompt', 'Read.', '--agent', 'command:true'];
  const ended = await runCommand(args, { cwd: folder, env: { HOME: temporary, TMPDIR: temporary } });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(copies()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('the next run keeps the worktree of a killed batch that writes', async () => {
  const repo = makeRepository();
  await killProgram(repo, batchOf('true'));
  await runOnce(repo);
  expect(worktrees(repo)).toHaveLength(1);
});
