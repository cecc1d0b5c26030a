/**
 * Sensitive files: a limited walk over a checkout for files that run code on the host, ignored and
 * untracked files included.
 */
import { lstatSync, type Dirent } from 'node:fs';
import { QUARANTINE_SUFFIX } from '../../git/command/quarantine.ts';
import { isRepositoryFolder } from './bare-repository.ts';
import { classifyLink, classifyNames, decidesAttributes } from './paths/classify-path.ts';
import { foldName, foldPath } from './paths/fold-name.ts';
import type { HostPrograms } from './paths/host-programs.ts';
import type { Sensitivity } from './paths/path-rules.ts';
import { pathOfEntry, readFolder, toShownPath, toSystemPath, walkCheckout } from './walk-checkout.ts';

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

const MAX_FILES = 5_000;

/**
 * Finds sensitive files. Does not follow symlinks or enter nested repositories, or the checkout's
 * own `.git` and `.truecast`.
 */
export async function findSensitiveFiles(root: string, programs: HostPrograms): Promise<FoundFiles> {
  const files: SensitiveFile[] = [];
  const isComplete = await walkCheckout(root, (folder, entries) => {
    if (files.length > MAX_FILES) return undefined;
    const found = lookInto(root, folder, entries, programs);
    files.push(...found.files);
    return found.folders;
  });
  return { files, isComplete };
}

interface Looked {
  readonly files: readonly SensitiveFile[];
  readonly folders: readonly string[];
}

function lookInto(root: string, folder: string, entries: readonly Dirent[], programs: HostPrograms): Looked {
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
    const path = pathOfEntry(folder, entry);
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
  entry: Dirent,
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
