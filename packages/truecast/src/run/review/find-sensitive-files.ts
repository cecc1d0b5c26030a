/**
 * Sensitive files: a limited walk over a checkout for files that run code on the host, ignored and
 * untracked files included.
 */
import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { QUARANTINE_SUFFIX } from '../../git/command/quarantine.ts';
import { isRepositoryFolder } from './bare-repository.ts';
import { classifyLink, classifyNames, decidesAttributes } from './paths/classify-path.ts';
import { foldName, foldPath } from './paths/fold-name.ts';
import type { HostPrograms } from './paths/host-programs.ts';
import type { Sensitivity } from './paths/path-rules.ts';

/**
 * One item of a checkout that runs code on the host. Paths are relative, in Latin-1, because names
 * need not be UTF-8.
 */
export interface SensitiveFile extends Sensitivity {
  readonly path: string;
  readonly kind: 'file' | 'attributes' | 'repository' | 'bare-repository';
  /** Paths of the files that determine what it runs. */
  readonly parts: readonly string[];
}

/** Result of a walk. */
export interface FoundFiles {
  readonly files: readonly SensitiveFile[];
  /** False if the checkout has more entries than the walk inspects. */
  readonly isComplete: boolean;
}

const MAX_ENTRIES = 1_000_000;
const MAX_FILES = 5_000;
/**
 * The walk is synchronous, which is several times faster. It yields to the event loop after this
 * number of entries.
 */
const ENTRIES_PER_SLICE = 4_000;

/**
 * Finds sensitive files. Does not follow symlinks or enter nested repositories, or the checkout's
 * own `.git` and `.truecast`.
 */
export async function findSensitiveFiles(root: string, programs: HostPrograms): Promise<FoundFiles> {
  const files: SensitiveFile[] = [];
  const folders = [''];
  let seen = 0;
  let slice = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = readFolder(root, folder);
    seen += entries.length;
    slice += entries.length;
    if (seen > MAX_ENTRIES || files.length > MAX_FILES) return { files, isComplete: false };
    const found = lookInto(root, folder, entries, programs);
    files.push(...found.files);
    for (const name of found.folders) folders.push(name);
    if (slice < ENTRIES_PER_SLICE) continue;
    slice = 0;
    await setImmediate();
  }
  return { files, isComplete: true };
}

/** Converts a path of the walk for the file system. */
export function toSystemPath(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

const ASCII = /^[ -~]*$/u;

/** Converts a path of the walk to text. */
export function toShownPath(path: string): string {
  // ASCII is the same in both encodings. Converting every path of a large checkout takes time.
  if (ASCII.test(path)) return path;
  return Buffer.from(path, 'latin1').toString('utf8');
}

type Entry = Dirent;

function readFolder(root: string, folder: string): readonly Entry[] {
  try {
    return readdirSync(toSystemPath(root, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    // Removed, or unreadable for this user. The user's git cannot read it either.
    return [];
  }
}

interface Looked {
  readonly files: readonly SensitiveFile[];
  readonly folders: readonly string[];
}

function lookInto(root: string, folder: string, entries: readonly Entry[], programs: HostPrograms): Looked {
  const files: SensitiveFile[] = [];
  const folders: string[] = [];
  const isTop = folder === '';
  if (!isTop && isRepositoryFolder(entries.map(({ name }) => name))) {
    const sensitivity = { reason: 'bare-repository', runsAt: 'git' } as const;
    return {
      files: [
        {
          path: folder,
          kind: 'bare-repository',
          ...sensitivity,
          parts: [`${folder}/HEAD`, ...gitParts(root, folder)],
        },
      ],
      folders,
    };
  }
  for (const entry of entries) {
    const { name } = entry;
    const path = isTop ? name : `${folder}/${name}`;
    if (isTop && (name === '.git' || name === '.truecast')) continue;
    const found = classifyEntry(root, path, entry, programs);
    if (found !== undefined) files.push(found);
    if (entry.isDirectory() && found?.kind !== 'repository') folders.push(path);
  }
  return { files, folders };
}

function classifyEntry(
  root: string,
  path: string,
  entry: Entry,
  programs: HostPrograms,
): SensitiveFile | undefined {
  if (foldName(entry.name) === '.git') {
    const parts = [path, ...(entry.isDirectory() ? gitParts(root, path) : [])];
    return { path, kind: 'repository', reason: 'nested-repository', runsAt: 'git', parts };
  }
  if (!entry.isFile() && !entry.isSymbolicLink()) return undefined;
  // Folded once per path, because a large checkout has many files.
  const names = foldPath(toShownPath(path));
  const classify = entry.isSymbolicLink() ? classifyLink : classifyNames;
  const sensitivity = classify(names, programs);
  // Already renamed and hidden from git.
  if (sensitivity?.reason === 'hook' && path.includes(QUARANTINE_SUFFIX)) return undefined;
  if (sensitivity !== undefined) return { path, kind: 'file', ...sensitivity, parts: [path] };
  if (!decidesAttributes(names, programs)) return undefined;
  return { path, kind: 'attributes', reason: 'attributes-driver', runsAt: 'git', parts: [path] };
}

const GIT_FILES = ['commondir', 'config', 'config.worktree', 'info/attributes'];

/**
 * Returns the files that determine which programs git runs in a git directory. `HEAD` and objects
 * change with every commit.
 */
function gitParts(root: string, path: string): readonly string[] {
  const hooks = readFolder(root, `${path}/hooks`).filter(({ name }) => !name.endsWith('.sample'));
  const files = [...GIT_FILES, ...hooks.map(({ name }) => `hooks/${name}`)].map((name) => `${path}/${name}`);
  return files.filter((file) => lstatSync(toSystemPath(root, file), { throwIfNoEntry: false }) !== undefined);
}
