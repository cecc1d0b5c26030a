/** Kinds of repositories that users have: storage formats, partial histories, and indexes. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryTemplate } from '../../../packages/truecast/src/git/test-template.ts';
import { git } from '../fixture.ts';

/** Creates a checkout of one kind in a new folder, and returns its path. */
export interface GitVariant {
  readonly title: string;
  create(folder: string): string;
}

/** `a.txt` at the top, and two folders. Two commits. */
function fill(path: string): string {
  git(path, 'config', 'user.name', 'Test');
  git(path, 'config', 'user.email', 'test@example.invalid');
  for (const name of ['a.txt', 'in/b.txt', 'out/c.txt']) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), `${name}\n`);
  }
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'begin');
  appendFileSync(join(path, 'a.txt'), 'two\n');
  git(path, 'commit', '-q', '-am', 'second');
  return path;
}

const copyPlain = repositoryTemplate((path) => {
  git(path, 'init', '-q', '-b', 'main');
  fill(path);
});

/** A template has the default format. */
function plain(folder: string, name = 'repo', ...options: readonly string[]): string {
  const path = join(folder, name);
  if (options.length === 0) {
    copyPlain(path);
    return path;
  }
  git(folder, 'init', '-q', '-b', 'main', ...options, name);
  return fill(path);
}

/** Options of a clone, which commits as the user of the tests. */
const USER = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];

function clone(folder: string, ...options: readonly string[]): string {
  const origin = plain(folder, 'origin');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  git(folder, 'clone', '-q', ...USER, ...options, `file://${origin}`, 'repo');
  return join(folder, 'repo');
}

/** Every variant. The same work must have the same result in each. */
export const GIT_VARIANTS: readonly GitVariant[] = [
  { title: 'object format sha256', create: (folder) => plain(folder, 'repo', '--object-format=sha256') },
  { title: 'a shallow clone', create: (folder) => clone(folder, '--depth=1') },
  { title: 'a partial clone without blobs', create: (folder) => clone(folder, '--filter=blob:none') },
  {
    title: 'a sparse partial clone',
    create(folder) {
      const path = clone(folder, '--filter=blob:none', '--sparse');
      git(path, 'sparse-checkout', 'set', 'in');
      return path;
    },
  },
  {
    title: 'objects of another repository',
    create(folder) {
      const origin = plain(folder, 'origin');
      git(folder, 'clone', '-q', '--shared', origin, 'middle');
      git(folder, 'clone', '-q', ...USER, '--shared', join(folder, 'middle'), 'repo');
      return join(folder, 'repo');
    },
  },
  {
    title: 'a graft that cuts the history',
    create(folder) {
      const path = plain(folder);
      writeFileSync(join(path, '.git/info/grafts'), `${git(path, 'rev-parse', 'HEAD')}\n`);
      return path;
    },
  },
  {
    title: 'a replaced commit',
    create(folder) {
      const path = plain(folder);
      const tree = git(path, 'rev-parse', 'HEAD~1^{tree}');
      const other = git(path, 'commit-tree', '-m', 'other', '-p', 'HEAD~1', tree);
      git(path, 'replace', 'HEAD', other);
      git(path, 'reset', '-q', '--hard');
      return path;
    },
  },
  {
    title: 'a linked worktree with its own configuration',
    create(folder) {
      const path = plain(folder);
      git(path, 'config', 'extensions.worktreeConfig', 'true');
      const linked = join(folder, 'linked');
      git(path, 'worktree', 'add', '-q', '-b', 'linked', linked);
      git(linked, 'config', '--worktree', 'core.abbrev', '12');
      return linked;
    },
  },
  {
    title: 'a sparse checkout with a sparse index',
    create(folder) {
      const path = plain(folder);
      git(path, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
      return path;
    },
  },
  {
    title: 'a split index',
    create(folder) {
      const path = plain(folder);
      git(path, 'config', 'core.splitIndex', 'true');
      git(path, 'update-index', '--split-index');
      return path;
    },
  },
  {
    title: 'an untracked cache and a file system monitor',
    create(folder) {
      const path = plain(folder);
      const hook = join(folder, 'monitor');
      writeFileSync(hook, '#!/bin/sh\nprintf "token\\0/\\0"\n');
      chmodSync(hook, 0o755);
      git(path, 'config', 'core.untrackedCache', 'true');
      git(path, 'config', 'core.fsmonitor', hook);
      git(path, 'config', 'core.fsmonitorHookVersion', '2');
      git(path, 'update-index', '--untracked-cache', '--fsmonitor');
      git(path, 'status');
      return path;
    },
  },
  {
    title: 'packs, a multi-pack index and a commit graph',
    create(folder) {
      const path = plain(folder);
      git(path, 'repack', '-q', '-d');
      git(path, 'commit', '-q', '--allow-empty', '-m', 'third');
      git(path, 'repack', '-q', '-d');
      git(path, 'multi-pack-index', 'write', '--bitmap');
      git(path, 'commit-graph', 'write', '--reachable', '--changed-paths', '--split');
      git(path, 'pack-refs', '--all');
      return path;
    },
  },
  {
    title: 'references in a `reftable`',
    create: (folder) => plain(folder, 'repo', '--ref-format=reftable'),
  },
];

/** Returns true if the installed git can create the variant. */
export function isSupported({ title }: GitVariant): boolean {
  if (!title.includes('reftable')) return true;
  const version = execFileSync('git', ['version'], { encoding: 'utf8' });
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/u.exec(version) ?? [];
  return Number(major) > 2 || Number(minor) >= 45;
}
