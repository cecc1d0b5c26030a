/**
 * Processes that land branches on one target at the same time. Each has a branch that is green alone
 * and red beside a branch of the next process.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { bundledHost } from '../bundled-host.ts';
import { quickFork } from '../runner/quick-fork.ts';

/** Options of the proof. */
export interface MergeCrowdOptions {
  readonly processes: number;
  /** Branches of each process, at least 2. */
  readonly branches: number;
  /** Empty folder. */
  readonly folder: string;
}

/** Counted facts. */
export interface MergeCrowdFacts {
  /** Branches that a process reported as landed, and whose file is on the target. */
  readonly landed: number;
  /** Branches that were refused by the check, and are unchanged. */
  readonly refused: number;
  /** Branches of neither kind. */
  readonly lost: readonly string[];
  /** Commits of the target, in the order in which they landed, that fail the check. */
  readonly red: readonly string[];
  /** `git status` of the checkout at the end. */
  readonly status: string;
}

const HOST = new URL('merge-crowd-host.ts', import.meta.url);
const saidSchema = z.object({
  landed: z.array(z.string()),
  refused: z.array(z.object({ branch: z.string(), code: z.string() })),
});

/** Starts all processes at once, and compares what they report with the repository. */
export async function proveMergeCrowd(options: MergeCrowdOptions): Promise<MergeCrowdFacts> {
  const cwd = join(options.folder, 'repo');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  const lists = makeBranches(cwd, git, options);
  const tips = new Map(lists.flat().map((branch) => [branch, git('rev-parse', branch)]));
  const run = promisify(execFile);
  const host = await bundledHost(HOST, options.folder);
  const env = { ...process.env, ...quickFork() };
  const ended = await Promise.all(lists.map((list) => run(process.execPath, [host, cwd, ...list], { env })));
  const said = ended.map(({ stdout }) => saidSchema.parse(JSON.parse(stdout)));
  const onMain = new Set(git('ls-tree', '--name-only', 'main').split('\n'));
  const landed = said.flatMap((one) => one.landed).filter((branch) => onMain.has(`id-${branch}`));
  const refused = said
    .flatMap((one) => one.refused)
    .filter(({ branch, code }) => code === 'check-failed' && git('rev-parse', branch) === tips.get(branch))
    .map(({ branch }) => branch);
  const known = new Set([...landed, ...refused]);
  return {
    landed: landed.length,
    refused: refused.length,
    lost: lists.flat().filter((branch) => !known.has(branch)),
    red: git('rev-list', '--first-parent', 'main')
      .split('\n')
      .filter((commit) => isRed(git, commit)),
    status: git('status', '--porcelain', '--untracked-files=all'),
  };
}

type Git = (...args: readonly string[]) => string;

/** Branch 0 of each process has the number of branch 1 of the next. */
function makeBranches(
  cwd: string,
  git: Git,
  { processes, branches }: MergeCrowdOptions,
): readonly (readonly string[])[] {
  mkdirSync(cwd, { recursive: true });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@localhost');
  writeFileSync(join(cwd, '.gitignore'), '.truecast\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  return Array.from({ length: processes }, (_one, at) =>
    Array.from({ length: branches }, (_other, index) => {
      const branch = `p${at}b${index}`;
      const number = index === 1 ? `${(at + processes - 1) % processes}-0` : `${at}-${index}`;
      git('switch', '-q', '-c', branch, 'main');
      writeFileSync(join(cwd, `id-${branch}`), `${number}\n`);
      git('add', '-A');
      git('commit', '-q', '-m', branch);
      git('switch', '-q', 'main');
      return branch;
    }),
  );
}

/** True if two files of the commit have the same number, which is the same blob. */
function isRed(git: Git, commit: string): boolean {
  const blobs = git('ls-tree', commit)
    .split('\n')
    .filter((line) => line.includes('\tid-'))
    .map((line) => line.split(/\s/u)[2]);
  return new Set(blobs).size < blobs.length;
}
