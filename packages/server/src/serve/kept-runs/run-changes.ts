/** Changes of a kept run: the files of its commits, read from the repository when they are asked for. */
import type { CommitChoice } from '../../contract/run-archive.ts';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { view } from '@truecast/core/internal/shape/view';
import type { ChangedFileView, ChangesView } from '@truecast/client/internal/wire/changes';
import { readChangedFiles, type ChangedFile } from 'truecast/internal/git/changes/changed-files';
import { rangeOfCommit, rangeOfCommits, readCommitFacts } from 'truecast/internal/git/changes/commit-facts';
import { openRepository, pathsOf } from 'truecast/internal/git/repository/repository';

/** The repository of kept runs. */
export interface ChangesSource {
  /** A folder in one of its checkouts. */
  readonly folder: string;
  /** Masks secrets of the server in what agents committed. */
  readonly mask: (text: string) => string;
}

/** A page waits for it. */
const TIMEOUT_MS = 20_000;

/**
 * Reads all commits together, or the chosen one, which must be among them. Writes nothing.
 *
 * @throws RepositoryError if the repository cannot be read; the signal's reason
 */
export async function readRunChanges(
  { folder, mask }: ChangesSource,
  ids: readonly string[],
  { commit, signal }: CommitChoice,
): Promise<ChangesView> {
  if (ids.length === 0) return withoutChanges(0);
  const call = { timeoutMs: TIMEOUT_MS, signal };
  const repository = await openRepository(folder, { ...call, isWithoutGuests: true }).catch(noRepository);
  if (repository === undefined) return withoutChanges(ids.length);
  const options = { ...call, cwd: repository.topLevel, paths: pathsOf(repository) };
  const commits = await readCommitFacts(ids, options);
  const chosen = commits.find(({ id }) => id === commit);
  const range =
    commit === undefined ? rangeOfCommits(commits) : chosen === undefined ? undefined : rangeOfCommit(chosen);
  const { files, omittedFiles } =
    range === undefined ? { files: [], omittedFiles: 0 } : await readChangedFiles(range, options);
  return {
    commits: commits.map(({ id, subject, atMs, added, removed }) => ({
      id,
      subject: mask(subject),
      at: new Date(atMs).toISOString(),
      added,
      removed,
    })),
    missing_commits: ids.length - commits.length,
    files: files.map((file) => toFileView(file, mask)),
    omitted_files: omittedFiles,
  };
}

/** A folder can have kept runs without a repository. */
function noRepository(error: unknown): undefined {
  if (RepositoryError.isInstance(error) && error.code === 'not-a-repository') return undefined;
  throw error;
}

/** Returns the view of commits that the repository no longer has. */
export function withoutChanges(missingCommits: number): ChangesView {
  return { commits: [], missing_commits: missingCommits, files: [], omitted_files: 0 };
}

function toFileView(file: ChangedFile, mask: ChangesSource['mask']): ChangedFileView {
  const { path, oldPath, change, modes, oldBytes, newBytes, added, removed, hunks, omittedLines } = file;
  return view<ChangedFileView>({
    path,
    old_path: oldPath,
    change,
    old_mode: modes?.old,
    new_mode: modes?.new,
    old_bytes: oldBytes,
    new_bytes: newBytes,
    added,
    removed,
    hunks: hunks.map(({ oldStart, newStart, heading, lines }) => ({
      old_start: oldStart,
      new_start: newStart,
      heading: mask(heading),
      lines: lines.map((line) => mask(line)),
    })),
    omitted_lines: omittedLines,
    omitted: file.omitted,
  });
}
