/**
 * Random sequences of edits by a guest and a host in a repository with filters, all from a seed, and
 * the check of every commit that they left.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BranchStrategy } from '../../packages/truecast/src/git/command/branch-strategy.ts';
import type { FilterKind } from './filter-kinds.ts';
import { git } from './fixture.ts';
import { generator } from './guest-git-sequences.ts';

/** One run of a sequence. Every script is for a shell in the checkout or the worktree. */
export interface FilterStep {
  readonly strategy: BranchStrategy;
  readonly guest: string;
  /** Runs in the checkout while the guest's sandbox is open. */
  readonly meanwhile: string;
  /** Runs in the checkout after the run. */
  readonly afterwards: string;
}

/** `*.enc` is filtered, except below `plain/`. */
const PATHS = ['x.enc', 'y.enc', 'deep/z.enc', 'deep/n.enc', 'plain/x.enc', 'b.txt', 'deep/b.txt'];
const STRATEGIES: readonly BranchStrategy[] = [
  { type: 'head' },
  { type: 'merge-to-head' },
  { type: 'branch', branch: 'work' },
];
const COMMIT = 'git add -A; git commit -q -m c';

const EDITS: readonly ((path: string, line: string) => string)[] = [
  (path, line) => `mkdir -p $(dirname ${path}); echo '${line}' > ${path}`,
  (path, line) => `mkdir -p $(dirname ${path}); echo '${line}' >> ${path}`,
  (path) => `touch ${path}`,
  (path) => `rm -f ${path}`,
  // Git keeps the stored form of a renamed file, so the new name has the same filter.
  (path) => `git mv -f ${path} deep/moved.${isFilteredPath(path) ? 'enc' : 'txt'}`,
  (path, line) => `echo '${line}' >> ${path}; git stash -q; git stash pop -q`,
  (path, line) => `echo '${line}' >> ${path}; git checkout -q -- .`,
  (path, line) =>
    `${COMMIT}; git checkout -q -b side HEAD~1; echo '${line}' > ${path}; ${COMMIT}; git checkout -q -; git merge -q --no-edit side || git merge --abort; git branch -q -D side`,
  (path, line) => `echo '${line}' >> ${path}; git add -A; git commit -q --amend -m a`,
  () => 'git add --renormalize .; git commit -q -m r',
];

function isFilteredPath(path: string): boolean {
  return path.endsWith('.enc') && !path.startsWith('plain/');
}

/** Every plain line of a sequence. Its letters show how often it was cleaned. */
function plainLine(number: number): string {
  return `plain ${number} output: ${number}`;
}

/** Returns the steps of sequence `number`. */
export function filterSequence(seed: number, number: number): readonly FilterStep[] {
  const random = generator(seed * 1_000_003 + number);
  const pick = <T>(all: readonly [T, ...T[]] | readonly T[]): T =>
    all[Math.floor(random() * all.length)] as T;
  let lines = 0;
  const edits = (most: number): string => {
    const count = Math.floor(random() * (most + 1));
    const all = Array.from({ length: count }, () => pick(EDITS)(pick(PATHS), plainLine((lines += 1))));
    return [...all, count === 0 ? 'true' : COMMIT].join('\n');
  };
  return Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
    strategy: pick(STRATEGIES),
    guest: edits(4),
    meanwhile: random() < 0.5 ? 'true' : edits(1),
    afterwards: `${edits(2)}\ngit merge -q --no-edit work || git merge --abort`,
  }));
}

/** Adds the files of the start, committed by plain git. */
export function prepareFilters(path: string): void {
  writeFileSync(join(path, '.gitattributes'), '*.enc filter=secret\n');
  for (const name of [...PATHS, 'plain/.gitattributes']) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), name.endsWith('attributes') ? '* -filter\n' : `${plainLine(0)}\n`);
  }
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'files');
  // A side branch starts at the commit before, which has the attributes then.
  git(path, 'commit', '-q', '--allow-empty', '-m', 'next');
}

/** What is wrong with the commits of all references, and how many filtered files were read. */
export interface FilterReport {
  readonly violations: readonly string[];
  readonly filtered: number;
}

/** Reads each file of each commit once, and all of them by one process. */
export function checkFilters(path: string, kind: FilterKind): FilterReport {
  const files = new Map<string, { readonly id: string; readonly name: string; readonly commit: string }>();
  for (const commit of git(path, 'rev-list', '--all').split('\n')) {
    for (const entry of git(path, 'ls-tree', '-r', commit).split('\n')) {
      const [, id = '', name = ''] = /^\S+ blob (\S+)\t(.*)$/u.exec(entry) ?? [];
      if (files.has(`${id} ${name}`) || name.endsWith('.gitattributes') || name === 'a.txt') continue;
      files.set(`${id} ${name}`, { id, name, commit });
    }
  }
  const all = [...files.values()];
  const texts = readBlobs(
    path,
    all.map(({ id }) => id),
  );
  const violations = all.flatMap(({ name, commit }, index) => {
    const lines = (texts[index] ?? '').split('\n');
    const wrong = lines.filter((line) => !isRight(line, isFilteredPath(name), kind));
    return wrong.map((line) => `${name} in ${commit.slice(0, 8)}: ${line}`);
  });
  return { violations, filtered: all.filter(({ name }) => isFilteredPath(name)).length };
}

function readBlobs(path: string, ids: readonly string[]): readonly string[] {
  let rest = execFileSync('git', ['cat-file', '--batch'], { cwd: path, input: `${ids.join('\n')}\n` });
  return ids.map((id) => {
    const head = rest.subarray(0, rest.indexOf('\n')).toString();
    assert.ok(head.startsWith(`${id} blob `), head);
    const size = Number(head.slice(`${id} blob `.length));
    const start = head.length + 1;
    const text = rest.subarray(start, start + size).toString();
    rest = rest.subarray(start + size + 1);
    return text;
  });
}

function isRight(line: string, isFiltered: boolean, { clean }: FilterKind): boolean {
  const plain = plainLine(Number(/\d+/u.exec(line)?.[0] ?? 0));
  return line === '' || line === (isFiltered ? clean(plain) : plain);
}
