/**
 * Files review: finds files of a worktree that run code on the host and have changed since the last
 * inspection, committed or not.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { type GitCallOptions, git, gitOutput, type GitOptions } from '../../git/command/git.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { turnsOnDriver } from './paths/attribute-lines.ts';
import { defuseRebase, defuseRepository } from './defuse-repository.ts';
import { readContent, blobIdsOf } from './file-fingerprint.ts';
import {
  compareStates,
  readFilesState,
  type FileChange,
  type FilesState,
  type KnownFile,
} from './files-state.ts';
import type { SensitiveFile } from './find-sensitive-files.ts';
import { toShownPath, toSystemPath } from './walk-checkout.ts';
import type { HostPrograms } from './paths/host-programs.ts';
import { NOT_REVIEWED } from './review-tree.ts';
import { pathsOf } from '../../git/repository/repository.ts';

/**
 * Inspects a worktree several times. Each inspection reports the changes since the previous one.
 */
export interface FilesReview {
  /** Sensitive files of the worktree before the guest. Empty for a fresh one. */
  readonly initialFiles: readonly SensitiveFile[];
  /**
   * Reports changes, and hides new nested repositories that can run a program from git.
   *
   * Call it while no process of the agent runs, and after the git directory was verified.
   */
  look(options: GitCallOptions): Promise<readonly SensitiveChange[]>;
  /** Reports a file again if it comes back. Call it for each file that was moved since. */
  forget(shownPath: string): void;
}

/** State of a worktree before the guest. */
export interface FilesReviewOptions {
  readonly worktree: LockedWorktree;
  readonly programs: HostPrograms;
  /**
   * True for a worktree that contains only its base commit. It need not be inspected before the
   * guest.
   */
  readonly isFresh: boolean;
}

/** Starts a review, before a guest starts. */
export async function startFilesReview({
  worktree,
  programs,
  isFresh,
}: FilesReviewOptions): Promise<FilesReview> {
  const { path: root, gitDir } = worktree;
  let before = isFresh ? undefined : await readFilesState(root, programs);
  const hadRebase = lstatSync(join(gitDir, 'rebase-merge'), { throwIfNoEntry: false }) !== undefined;
  return {
    initialFiles: [...(before?.files.values() ?? [])].map(({ file }) => file),
    async look(options) {
      const after = await readFilesState(root, programs);
      const changes =
        before === undefined ? await compareWithBase(worktree, after, options) : compareStates(before, after);
      const reported: SensitiveChange[] = hadRebase ? [] : [...reviewRebase(gitDir)];
      for (const change of changes) {
        if (isSensitive(change, root, programs)) reported.push(await report(root, change, options));
      }
      const isMoved = reported.some(({ movedTo }) => movedTo !== undefined);
      before = isMoved ? await readFilesState(root, programs) : after;
      return after.isComplete ? reported : [...reported, { ...NOT_REVIEWED, source: 'files' }];
    },
    forget(shownPath) {
      const path = Buffer.from(shownPath).toString('latin1');
      if (before === undefined) return;
      before = { ...before, files: new Map([...before.files].filter(([known]) => known !== path)) };
    },
  };
}

function isSensitive({ known, previousText }: FileChange, root: string, programs: HostPrograms): boolean {
  if (known.file.kind !== 'attributes') return true;
  const top = readContent(toSystemPath(root, '.gitattributes'))?.toString('utf8') ?? '';
  const macros = `${top}\n${programs.attributes}`;
  return turnsOnDriver({ before: previousText, after: known.text, macros }, programs.drivers);
}

async function report(
  root: string,
  { known: { file }, change }: FileChange,
  options: GitCallOptions,
): Promise<SensitiveChange> {
  const { reason, runsAt } = file;
  const isRepository = file.kind === 'repository' || file.kind === 'bare-repository';
  const movedTo =
    isRepository && change !== 'removed' ? await defuseRepository(root, file, options) : undefined;
  return {
    path: toShownPath(file.path),
    reason,
    runsAt,
    change,
    source: 'files',
    ...(movedTo !== undefined && { movedTo }),
  };
}

function reviewRebase(gitDir: string): readonly SensitiveChange[] {
  const movedTo = defuseRebase(gitDir);
  if (movedTo === undefined) return [];
  return [
    {
      path: join(gitDir, 'rebase-merge'),
      reason: 'unfinished-operation',
      runsAt: 'git',
      change: 'added',
      source: 'files',
      movedTo: join(gitDir, movedTo),
    },
  ];
}

/**
 * Returns the files whose content is not in the base commit. Removed files are a change of the
 * tree.
 */
async function compareWithBase(
  { path: root, baseSha, repository }: LockedWorktree,
  after: FilesState,
  options: GitCallOptions,
): Promise<readonly FileChange[]> {
  const all = [...after.files.values()];
  if (all.length === 0) return [];
  const call = { ...options, cwd: repository.topLevel, paths: pathsOf(repository) };
  const parts = all.flatMap(({ file }) => file.parts);
  const ids = await listIds(baseSha, parts.map(toShownPath), call);
  const algorithm = baseSha.length === 64 ? 'sha256' : 'sha1';
  const isSame = ({ file }: KnownFile): boolean =>
    file.parts.every((part) => blobIdsOf(root, part, algorithm).includes(ids.get(toShownPath(part)) ?? ''));
  return Promise.all(
    all
      .filter((known) => !isSame(known))
      .map(async (known): Promise<FileChange> => {
        const change = known.file.parts.some((part) => ids.has(toShownPath(part))) ? 'changed' : 'added';
        const id = ids.get(toShownPath(known.file.path));
        const isText = known.file.kind === 'attributes' && id !== undefined;
        const previousText = isText ? await gitOutput(['cat-file', 'blob', id], call) : '';
        return { known, change, previousText };
      }),
  );
}

/** Lists blob ids by path. An unreadable commit has none, so everything then counts as new. */
async function listIds(
  commit: string,
  paths: readonly string[],
  call: GitOptions,
): Promise<ReadonlyMap<string, string>> {
  const listed = await git(['ls-tree', '-z', '--full-tree', commit, '--', ...paths], call);
  const lines = listed.stdout.split('\0').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/u)[2] ?? '']));
}
