/**
 * Kills aimed at merges of many files: nothing is lost, and no checkout stays half written after the
 * next start. Every second kill also kills git.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRepository } from '../../packages/truecast/src/git/repository/repository.ts';
import { recoverCheckouts } from '../../packages/truecast/src/git/worktree/recover-checkouts.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bundledHost } from '../bundled-host.ts';
import { gitsOf, stopWriting } from './merging-gits.ts';

/** Options of the proof. */
export interface MergeKillOptions {
  readonly kills: number;
  /** Files that each merge changes. */
  readonly files: number;
  /** Empty folder. */
  readonly folder: string;
  /** Between the moments of two kills after git began to write. @default 37 */
  readonly stepMs?: number;
  readonly onKill?: (done: number) => void;
}

/** Counted facts. */
export interface MergeKillFacts {
  readonly kills: number;
  /** Kills after which git was still writing the checkout. */
  readonly whileWriting: number;
  /** Checkouts that were half written before the next start. */
  readonly halfWrittenBefore: number;
  /** Checkouts that differ from their HEAD after the next start, besides the user's file. */
  readonly halfWrittenAfter: number;
  /** Merges that git or the next start completed. */
  readonly merged: number;
  /** Warnings of the next starts that name a restored checkout. */
  readonly restored: number;
  /** Commits of agents that are on no branch. */
  readonly lost: number;
  /** Kills after which a change of the user is missing. */
  readonly usersLost: number;
}

const HOST = new URL('merge-host.ts', import.meta.url);
const PER_FOLDER = 500;
/** A kill each at another moment of the merge, in milliseconds after git began to write. */
const STEP_MS = 37;
const SPREAD_MS = 1_500;

/** Kills a run in each of its merges, and starts the next. */
export async function proveMergeKills({
  kills,
  files,
  folder,
  stepMs = STEP_MS,
  onKill,
}: MergeKillOptions): Promise<MergeKillFacts> {
  const path = join(folder, 'repo');
  const git: Git = (...args) =>
    execFileSync('git', args, { cwd: path, encoding: 'utf8', maxBuffer: 1e9 }).trim();
  const trees = makeRepository(path, files, git);
  const host = await bundledHost(HOST, folder);
  const facts = {
    kills,
    whileWriting: 0,
    halfWrittenBefore: 0,
    halfWrittenAfter: 0,
    merged: 0,
    restored: 0,
    usersLost: 0,
  };
  const tips: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const users = `user ${kill}\n`;
    writeFileSync(join(path, 'users.txt'), users);
    const tree = trees.find((one) => one !== git('rev-parse', 'HEAD^{tree}')) ?? '';
    const killed = await killMerge({ host, path, kill, tree, afterMs: (kill * stepMs) % SPREAD_MS });
    tips.push(killed.tip);
    if (killed.isWriting) facts.whileWriting += 1;
    if (killed.isGitKilled && isHalfWritten(git)) facts.halfWrittenBefore += 1;
    const said = await startNext(path);
    if (said.some((warning) => warning.includes('had started to merge'))) facts.restored += 1;
    if (isHalfWritten(git) || existsSync(join(path, '.git', 'index.lock'))) facts.halfWrittenAfter += 1;
    if (git('rev-parse', 'HEAD^{tree}') === tree) facts.merged += 1;
    if (readFileSync(join(path, 'users.txt'), 'utf8') !== users) facts.usersLost += 1;
    onKill?.(kill + 1);
  }
  const held = new Set(git('rev-list', '--branches').split('\n'));
  return { ...facts, lost: tips.filter((tip) => !held.has(tip)).length };
}

/** Stages of `merge()` at which the proof kills. */
export const MERGE_STAGES = ['plan', 'review', 'check', 'landing', 'checkout'] as const;

/** Counted facts about kills of `merge()`. */
export interface StageKillFacts {
  /** Kills that came at their stage. */
  readonly killed: number;
  /** Merges that the next call of `merge()` landed, or that git had completed. */
  readonly merged: number;
  /** Kills after which the target has moved without its files, or files without the target. */
  readonly halfWrittenAfter: number;
  /** Branches that moved or vanished before their merge landed. */
  readonly lost: number;
  readonly usersLost: number;
}

/**
 * Kills `merge()` once at each stage of a fast-forward and of a merge commit, and merges again. With `isShort`,
 * once at each stage, of one of them in turns.
 */
export async function proveStageKills({
  files,
  folder,
  onKill,
  isShort = false,
}: Omit<MergeKillOptions, 'kills'> & { readonly isShort?: boolean }): Promise<StageKillFacts> {
  const path = join(folder, 'repo');
  const git: Git = (...args) =>
    execFileSync('git', args, { cwd: path, encoding: 'utf8', maxBuffer: 1e9 }).trim();
  const trees = makeRepository(path, files, git);
  const host = await bundledHost(HOST, folder);
  const facts = { killed: 0, merged: 0, halfWrittenAfter: 0, lost: 0, usersLost: 0 };
  const kinds = ['forward', 'diverged'];
  const cases = MERGE_STAGES.flatMap((stage, at) =>
    (isShort ? kinds.slice(at % 2, (at % 2) + 1) : kinds).map((kind) => `${stage} ${kind}`),
  );
  for (const [kill, each] of cases.entries()) {
    const [stage = '', kind = ''] = each.split(' ');
    const users = `user ${kill}\n`;
    writeFileSync(join(path, 'users.txt'), users);
    const name = `work-${kill}`;
    const tree = trees.find((one) => one !== git('rev-parse', 'HEAD^{tree}')) ?? '';
    const tip = commitTree(git, { name, tree, kind });
    if (await killAtStage(host, path, name, stage)) facts.killed += 1;
    if (git('rev-parse', '--verify', '--quiet', name) !== tip) facts.lost += 1;
    removeChecks(git);
    await mergeAgain(path, name);
    if (git('rev-list', 'HEAD').split('\n').includes(tip)) facts.merged += 1;
    const isWhole = git('rev-parse', 'HEAD^{tree}') === tree && !isHalfWritten(git);
    if (!isWhole || existsSync(join(path, '.git', 'index.lock'))) facts.halfWrittenAfter += 1;
    if (readFileSync(join(path, 'users.txt'), 'utf8') !== users) facts.usersLost += 1;
    onKill?.(kill + 1);
  }
  return facts;
}

/** Commits the tree on a new branch, and moves the target if the merge is to be no fast-forward. Returns the tip. */
function commitTree(
  git: Git,
  { name, tree, kind }: { readonly name: string; readonly tree: string; readonly kind: string },
): string {
  const tip = git('commit-tree', '-m', name, '-p', 'HEAD', tree);
  git('branch', name, tip);
  if (kind === 'diverged') git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
  return tip;
}

async function mergeAgain(cwd: string, name: string): Promise<void> {
  await merge(name, {
    cwd,
    sandbox: noSandbox(),
    onWarning: () => undefined,
    timeouts: { mergeToHostMs: 600_000, gitSetupMs: 600_000 },
    check: () => undefined,
  });
}

/** Recovers checkouts like the start of the next run, and returns its warnings. */
async function startNext(path: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  const call = { timeoutMs: 600_000 };
  const repository = await openRepository(path, call);
  await recoverCheckouts({ repository, onWarning: (message) => void warnings.push(message), ...call });
  return warnings;
}

/** Returns true if the process died, and with `checkout` while git wrote. */
async function killAtStage(host: string, path: string, name: string, stage: string): Promise<boolean> {
  const child = spawn(process.execPath, [host, path, 'merge', name, stage], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (stage !== 'checkout') {
    await ended;
    return child.signalCode === 'SIGKILL';
  }
  const writing = await stopWriting(child, path);
  child.kill('SIGKILL');
  await ended;
  for (const pid of writing) process.kill(-pid, 'SIGKILL');
  while (gitsOf(path, child.pid).length > 0) await sleep(5);
  return writing.length > 0;
}

/** A killed check leaves its clean checkout, which `truecast clean` lists. */
function removeChecks(git: Git): void {
  for (const line of git('worktree', 'list', '--porcelain').split('\n')) {
    const place = /^worktree (.*\/\.truecast\/.*)$/u.exec(line)?.[1];
    if (place !== undefined) git('worktree', 'remove', '--force', '--force', place);
  }
}

type Git = (...args: readonly string[]) => string;

interface KilledMerge {
  readonly tip: string;
  /** True if git was writing when the run was killed. */
  readonly isWriting: boolean;
  readonly isGitKilled: boolean;
}

/** Starts a run, and kills it in its merge. Every second time with its git, and every third merge has diverged. */
async function killMerge({
  host,
  path,
  kill,
  tree,
  afterMs,
}: {
  readonly host: string;
  readonly path: string;
  readonly kill: number;
  readonly tree: string;
  readonly afterMs: number;
}): Promise<KilledMerge> {
  const kind = kill % 3 === 2 ? 'diverged' : 'forward';
  const child = spawn(process.execPath, [host, path, 'work', `work-${kill}`, tree, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GIT_PROGRESS_DELAY: '0' },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'exit');
  const writing = await stopWriting(child, path, afterMs);
  child.kill('SIGKILL');
  await ended;
  const isGitKilled = kill % 2 === 1 && writing.length > 0;
  for (const pid of writing) process.kill(-pid, isGitKilled ? 'SIGKILL' : 'SIGCONT');
  while (isGitKilled && gitsOf(path, child.pid).length > 0) await sleep(5);
  return { tip: /tip ([0-9a-f]+)/u.exec(said)?.[1] ?? '', isWriting: writing.length > 0, isGitKilled };
}

/** Returns two trees that differ in every file. */
function makeRepository(path: string, files: number, git: Git): readonly string[] {
  mkdirSync(path, { recursive: true });
  git('init', '-q', '-b', 'main');
  for (const [key, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@localhost'],
    ['gc.auto', '0'],
  ] as const) {
    git('config', key, value);
  }
  writeFileSync(join(path, 'users.txt'), 'begin\n');
  writeFileSync(join(path, '.git', 'info', 'exclude'), '.truecast\n');
  return ['one', 'two'].map((text) => {
    for (let file = 0; file < files; file += 1) {
      const folder = join(path, `d${Math.floor(file / PER_FOLDER)}`);
      if (file % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `f${file}`), `${'x'.repeat(200)}${text} ${file}\n`);
    }
    git('add', '-A');
    git('commit', '-q', '-m', text);
    return git('rev-parse', 'HEAD^{tree}');
  });
}

function isHalfWritten(git: Git): boolean {
  const listed = git('status', '--porcelain', '--untracked-files=all');
  return listed.split('\n').some((line) => line !== '' && !line.endsWith('users.txt'));
}
