/**
 * Tests of `truecast clean`: a run killed with SIGKILL, then the next run and clean. Nothing that
 * is alive or holds work is removed.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { git, MAIN, makeRepository, truecast } from './cli-fixture.ts';
import { ensureStateFolder, stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { thisProcess } from '../../packages/truecast/src/process/process-identity.ts';
import { findProcessIn } from '../../packages/truecast/src/process/process-in-folder.ts';
import { runCommand } from './run-command.ts';

const ANSWER = `echo '<result>{"answer":1}</result>'`;

function runArgs(script: string, ...more: readonly string[]): string[] {
  const agent = `command:${script}`;
  return [
    'run',
    '--sandbox',
    'none',
    '--tag',
    'result',
    '--prompt',
    'In <result>.',
    '--agent',
    agent,
    ...more,
  ];
}

interface Running {
  /** Kills the run, and then its agent, which outlives it. */
  kill(): Promise<void>;
  killRun(): Promise<void>;
}

/** Starts a run whose agent does its work and then waits. Resolves when the work is done. */
async function startRun(repo: string, script: string, ...more: readonly string[]): Promise<Running> {
  const temporary = join(repo, '..', `tmp-${Math.random()}`);
  mkdirSync(temporary);
  const child = execa(
    process.execPath,
    [
      MAIN,
      ...runArgs(
        `${script}; echo $$ > '${temporary}/draft'; mv '${temporary}/draft' '${temporary}/ready'; exec sleep 60`,
        ...more,
      ),
    ],
    { cwd: repo, reject: false, env: { HOME: temporary, TMPDIR: temporary } },
  );
  while (!existsSync(join(temporary, 'ready'))) await sleep(20);
  const killRun = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child;
  };
  return {
    killRun,
    async kill() {
      await killRun();
      const agent = Number(readFileSync(join(temporary, 'ready'), 'utf8'));
      const folder = readlinkSync(`/proc/${agent}/cwd`);
      process.kill(agent, 'SIGKILL');
      // The shell that waits for it is there for a moment longer, as any killed process on a busy machine.
      while ((await findProcessIn(folder)) !== undefined) await sleep(10);
    },
  };
}

interface Cleaned {
  readonly removed?: readonly { readonly kind: string; readonly name: string }[];
  readonly removable?: readonly { readonly kind: string; readonly name: string }[];
  readonly kept: readonly { readonly kind: string; readonly name: string; readonly keptBecause: string }[];
}

async function clean(repo: string, ...flags: readonly string[]): Promise<Cleaned> {
  // A separate folder for temporary files, so that files of other tests on this machine are not
  // seen.
  const temporary = join(repo, '..', 'tmp-clean');
  mkdirSync(temporary, { recursive: true });
  const { stdout, exitCode, stderr } = await runCommand(['clean', '--json', ...flags], {
    cwd: repo,
    env: { HOME: temporary, TMPDIR: temporary },
  });
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Cleaned;
}

async function branches(repo: string): Promise<string[]> {
  return (await git(repo, 'branch', '--format=%(refname:short)')).split('\n');
}

function worktrees(repo: string): string[] {
  return readdirSync(join(repo, '.truecast', 'worktrees')).filter((name) => name !== '.gitignore');
}

it('removes what a killed run left that did nothing yet: worktree, branch and lock; the next run works before and after', async () => {
  const repo = makeRepository();
  await (await startRun(repo, 'true')).kill();
  expect(worktrees(repo)).toHaveLength(1);
  expect((await truecast(repo, ...runArgs(ANSWER))).exitCode).toBe(0);

  const listed = await clean(repo);
  expect(listed.removable?.map(({ kind }) => kind)).toEqual(['worktree', 'branch', 'lock']);
  expect(worktrees(repo)).toHaveLength(1);
  expect(await clean(repo, '--yes', '--dry-run')).toEqual(listed);

  expect((await clean(repo, '--yes')).removed).toEqual(listed.removable);
  expect(worktrees(repo)).toEqual([]);
  expect(await branches(repo)).toEqual(['main']);
  expect(readdirSync(join(repo, '.git', 'truecast', 'locks'))).toEqual([]);
  expect(await clean(repo)).toEqual({ removable: [], kept: [] });
  expect((await truecast(repo, ...runArgs(ANSWER))).exitCode).toBe(0);
});

it('keeps a branch with commits that are not merged, and removes it when they are', async () => {
  const repo = makeRepository();
  await (await startRun(repo, 'git commit -q --allow-empty -m work')).kill();
  const first = await clean(repo, '--yes');
  expect(first.removed?.map(({ kind }) => kind)).toEqual(['worktree', 'lock']);
  expect(first.kept).toMatchObject([
    { kind: 'branch', keptBecause: expect.stringContaining('1 commit that is not merged') as unknown },
  ]);
  const branch = first.kept[0]?.name ?? '';
  expect(await branches(repo)).toContain(branch);
  // Another Truecast branch with the same commit does not prove that it is merged.
  await git(repo, 'branch', 'truecast/20260101-000000-abcdef', branch);
  expect((await clean(repo, '--yes')).kept).toHaveLength(2);
  await git(repo, 'merge', '-q', branch);
  await clean(repo, '--yes');
  expect(await branches(repo)).toEqual(['main']);
});

it('keeps uncommitted work until it is named, and prints what it would remove and the next command', async () => {
  const repo = makeRepository();
  expect(await truecast(repo, 'clean')).toMatchObject({ stdout: '', stderr: 'There is nothing to clean.' });
  await (await startRun(repo, 'echo draft > notes.txt')).kill();
  const { stdout, stderr } = await truecast(repo, 'clean');
  expect(stdout).toMatch(/^kept {2}worktree {2}\/.*: it contains uncommitted work: notes\.txt$/mu);
  expect(stdout).toMatch(/^would remove {2}lock {2}\//mu);
  expect(stderr).toMatch(/truecast (?:-- )?clean --yes --force-dirty PATH/u);
  const [kept] = (await clean(repo, '--yes')).kept;
  expect(kept).toMatchObject({ kind: 'worktree', keptBecause: 'it contains uncommitted work: notes.txt' });
  expect(existsSync(join(kept?.name ?? '', 'notes.txt'))).toBe(true);
  const parent = join(repo, '.truecast', 'worktrees');
  await expect(clean(repo, '--yes', '--force-dirty', parent)).rejects.toThrow(
    'to name a listed worktree or git store',
  );
  expect(worktrees(repo)).toHaveLength(1);
  await clean(repo, '--yes', '--force-dirty', kept?.name ?? '');
  expect(worktrees(repo)).toEqual([]);
  expect(await branches(repo)).toEqual(['main']);
});

it('keeps commits that are on no branch', async () => {
  const repo = makeRepository();
  await (await startRun(repo, 'git checkout -q --detach && git commit -q --allow-empty -m lost')).kill();
  expect((await clean(repo, '--yes')).kept).toMatchObject([
    { kind: 'worktree', keptBecause: 'it contains commits that are on no branch' },
  ]);
  expect(worktrees(repo)).toHaveLength(1);
});

it('touches nothing of a live run, then keeps the worktree of its agent that outlives it, and forgets it when it is gone', async () => {
  const repo = makeRepository();
  const running = await startRun(repo, 'true');
  const [name = ''] = worktrees(repo);
  try {
    expect(await clean(repo, '--yes', '--logs-older-than', '0s')).toEqual({ removed: [], kept: [] });
    expect(worktrees(repo)).toEqual([name]);
    expect(await branches(repo)).toHaveLength(2);
    await running.killRun();
    expect((await clean(repo, '--yes')).kept).toMatchObject([
      { kind: 'worktree', keptBecause: expect.stringMatching(/^process \d+ is using it$/u) as unknown },
    ]);
    expect(worktrees(repo)).toEqual([name]);
  } finally {
    await running.kill();
  }
  rmSync(join(repo, '.truecast', 'worktrees', name), { recursive: true });
  expect(await git(repo, 'worktree', 'list', '--porcelain')).toContain(name);
  await clean(repo, '--yes');
  expect(await git(repo, 'worktree', 'list', '--porcelain')).not.toContain(name);
});

it('leaves worktrees and branches alone that are not its own', async () => {
  const repo = makeRepository();
  await git(repo, 'worktree', 'add', '-q', '-b', 'truecast/mine', '../mine');
  await git(repo, 'branch', 'truecast/notes');
  const own = join(repo, '.truecast', 'worktrees', 'by-hand');
  await git(repo, 'worktree', 'add', '-q', '--lock', '-b', 'by-hand', own);
  mkdirSync(join(repo, '.truecast', 'worktrees', 'stray'));
  writeFileSync(join(repo, '.truecast', 'worktrees', 'stray', 'file'), 'x');
  const { removed, kept } = await clean(repo, '--yes');
  expect(removed).toEqual([]);
  expect(kept.map(({ name }) => name).toSorted()).toEqual([
    own,
    join(repo, '.truecast', 'worktrees', 'stray'),
  ]);
  expect(await branches(repo)).toEqual(['by-hand', 'main', 'truecast/mine', 'truecast/notes']);
});

it('removes logs that are old enough, and no others', async () => {
  const repo = makeRepository();
  const logs = ensureStateFolder(stateFolderOf(repo), 'logs');
  for (const name of ['old.log', 'old.evidence.json', 'new.log', 'old.txt']) {
    writeFileSync(join(logs, name), 'x');
  }
  const monthAgo = new Date(Date.now() - 31 * 86_400_000);
  for (const name of ['old.log', 'old.evidence.json', 'old.txt']) {
    utimesSync(join(logs, name), monthAgo, monthAgo);
  }
  expect((await clean(repo)).removable).toEqual([]);
  expect((await clean(repo, '--yes', '--logs-older-than', '30d')).removed).toHaveLength(2);
  expect(readdirSync(logs).toSorted()).toEqual(['new.log', 'old.txt']);
});

it('removes kept runs that are old enough, and no others', async () => {
  const repo = makeRepository();
  const runs = ensureStateFolder(stateFolderOf(repo), 'runs');
  const ids = [1, 2].map((second) => `20260101T00000${second}Z-0123abcd`);
  const monthAgo = new Date(Date.now() - 31 * 86_400_000);
  for (const name of [...ids, 'other']) {
    mkdirSync(join(runs, name));
    writeFileSync(join(runs, name, 'run.json'), '{}');
    if (name !== ids[1]) utimesSync(join(runs, name), monthAgo, monthAgo);
  }
  expect((await clean(repo)).removable).toEqual([]);
  const removed = [{ kind: 'run', name: join(runs, ids[0] ?? '') }];
  expect((await clean(repo, '--yes', '--logs-older-than', '30d')).removed).toEqual(removed);
  expect(readdirSync(runs).toSorted()).toEqual([ids[1], 'other']);
});

it('removes interrupted runs that are old enough, and no live one', async () => {
  const repo = makeRepository();
  const runs = ensureStateFolder(stateFolderOf(repo), 'runs');
  const [going = '', killed = ''] = [1, 2].map((second) => `20260101T00000${second}Z-0123abcd`);
  const monthAgo = new Date(Date.now() - 31 * 86_400_000);
  const start = (id: string, dead: object): void => {
    const process = { ...thisProcess(), ...dead };
    const facts = { version: 1, id, agent: 'a', sandbox: 's', prompt: '', startedAt: monthAgo.toISOString() };
    mkdirSync(join(runs, id));
    writeFileSync(join(runs, id, 'start.json'), JSON.stringify({ ...facts, process }));
    utimesSync(join(runs, id), monthAgo, monthAgo);
  };
  start(going, {});
  start(killed, { processStartTime: '1' });
  const removed = [{ kind: 'run', name: join(runs, killed) }];
  expect((await clean(repo, '--yes', '--logs-older-than', '30d')).removed).toEqual(removed);
  expect(readdirSync(runs)).toEqual([going]);
});

it('removes temporary folders of dead processes only, and none of another repository', async () => {
  const repo = makeRepository();
  const temporary = join(repo, '..', 'tmp-clean');
  const folderOf = (name: string, pid: number, ...repositories: readonly string[]): string => {
    const folder = join(temporary, name);
    mkdirSync(join(folder, 'closed'), { recursive: true });
    const pidNamespace = readlinkSync('/proc/self/ns/pid');
    writeFileSync(
      join(folder, '.truecast-owner.json'),
      JSON.stringify({ pid, host: hostname(), pidNamespace, repositories }),
    );
    return folder;
  };
  const ended = execa('true');
  await ended;
  const dead = folderOf('truecast-run-dead', ended.pid ?? 0, join(repo, '.git'));
  folderOf('truecast-run-elsewhere', ended.pid ?? 0, '/elsewhere/.git');
  folderOf('truecast-run-alive', process.pid);
  folderOf('other-dead', ended.pid ?? 0);
  mkdirSync(join(temporary, 'truecast-unsigned'));
  expect((await clean(repo, '--yes')).removed).toEqual([{ kind: 'temporary-folder', name: dead }]);
  expect(readdirSync(temporary).toSorted()).toEqual([
    'other-dead',
    'truecast-run-alive',
    'truecast-run-elsewhere',
    'truecast-unsigned',
  ]);
});

it('prints many temporary folders of killed processes as one line', async () => {
  const repo = makeRepository();
  const temporary = join(repo, '..', 'tmp-many');
  const ended = execa('true');
  await ended;
  const pidNamespace = readlinkSync('/proc/self/ns/pid');
  for (let index = 1; index <= 6; index++) {
    const folder = join(temporary, `truecast-run-${index}`);
    mkdirSync(folder, { recursive: true });
    const owner = JSON.stringify({ pid: ended.pid ?? 0, host: hostname(), pidNamespace });
    writeFileSync(join(folder, '.truecast-owner.json'), owner);
  }
  const env = { HOME: temporary, TMPDIR: temporary };
  const { stdout } = await runCommand(['clean'], { cwd: repo, env });
  expect(stdout).toMatch(
    /^would remove {2}6 temporary folders of killed processes in \S+ \(--json lists them\)$/u,
  );
});

it('restores a merge whose git was killed: the next run at once, and clean with --yes', async () => {
  const repo = makeRepository();
  const from = await git(repo, 'rev-parse', 'HEAD');
  writeFileSync(join(repo, 'b.txt'), 'new\n');
  await git(repo, 'add', '-A');
  await git(repo, 'commit', '-q', '-m', 'work');
  const to = await git(repo, 'rev-parse', 'HEAD');
  await git(repo, 'branch', 'truecast/work');
  const folder = join(repo, '.git', 'truecast', 'checkouts');
  mkdirSync(folder, { recursive: true });
  const kill = async (): Promise<void> => {
    await git(repo, 'reset', '-q', '--soft', from);
    await git(repo, 'read-tree', from);
    const owner = { ...thisProcess(), processStartTime: '1' };
    const checkout = { kind: 'merge', path: repo, from, to, tip: to, branch: 'truecast/work' };
    const entry = { ...checkout, isNewBranch: false, startedAtMs: 0, owner, isAbandoned: false };
    writeFileSync(join(folder, 'entry.json'), JSON.stringify(entry));
    writeFileSync(join(repo, 'b.txt'), 'new\n');
    writeFileSync(join(repo, 'mine'), 'mine\n');
  };
  await kill();
  const ran = await truecast(repo, ...runArgs(ANSWER));
  expect(ran.stderr).toContain('had started to merge `truecast/work`');
  expect(await git(repo, 'status', '--porcelain')).toBe('?? mine');
  await kill();
  const listed = await truecast(repo, 'clean');
  expect(listed.stdout).toContain(`would remove  unfinished-checkout  ${repo}`);
  expect(existsSync(join(repo, 'b.txt'))).toBe(true);
  const cleaned = await truecast(repo, 'clean', '--yes');
  expect(cleaned.stderr).toContain('had started to merge `truecast/work`');
  expect(await git(repo, 'status', '--porcelain')).toBe('?? mine');
  expect(readdirSync(folder)).toEqual([]);
});
