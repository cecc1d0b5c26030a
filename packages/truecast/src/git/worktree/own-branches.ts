/** Branches of a worktree whose work is thrown away: its own one, and those that were created at its HEAD. */
import { basename, join } from 'node:path';
import { isTemporaryBranch, worktreeDirectoryName } from '../command/branch-name.ts';
import { headsSince, readReferenceLog } from '../recovered/head-log.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

/** A worktree, and its administrative directory. */
export interface WorktreePlace {
  readonly path: string;
  readonly gitDir: string;
}

const MAX_HEAD_BYTES = 4096;

/** Branches that only one worktree has used. */
export interface OwnBranches {
  /** Those that were made with the worktree. */
  readonly own: readonly string[];
  /** Those that its agent created, with the ids at which its HEAD was. */
  readonly made: readonly string[];
  readonly heads: ReadonlySet<string>;
}

/**
 * Finds the branches. Another branch that the agent checked out is not among them: it can contain the
 * work of the user or of another run. Starts no git.
 *
 * @param before the references before the worktree was created
 */
export function findOwnBranches(
  { path, gitDir }: WorktreePlace,
  before: ReadonlyMap<string, string> | undefined,
): OwnBranches {
  const lines = readReferenceLog(gitDir, 'HEAD').split('\n');
  const head = readRegularFileSync(join(gitDir, 'HEAD'), { maxBytes: MAX_HEAD_BYTES })?.toString('latin1');
  const seen = new Set([
    ...(/^ref: refs\/heads\/(\S+)\n?$/u.exec(head ?? '')?.slice(1) ?? []),
    ...lines.flatMap((line) => LEFT.exec(line)?.slice(1) ?? []),
  ]);
  // The folder's name is made from the branch's name.
  const own = [...seen].filter(
    (name) => isTemporaryBranch(name) && basename(path).startsWith(worktreeDirectoryName(name)),
  );
  const made = lines.flatMap((line) => CREATED.exec(line)?.[2] ?? RENAMED.exec(line)?.[1] ?? []);
  const isNew = (name: string): boolean =>
    !isTemporaryBranch(name) && before?.has(`refs/heads/${name}`) === false;
  return {
    own,
    made: [...new Set(made.filter(isNew))],
    heads: headsSince(gitDir, { size: 0, tail: '' }),
  };
}

const LEFT = /\tcheckout: moving from (\S+) to /u;
/** A new branch begins at the HEAD. */
const CREATED = /^([0-9a-f]+) \1 .*\tcheckout: moving from \S+ to (\S+)$/u;
const RENAMED = /\tBranch: renamed \S+ to refs\/heads\/(\S+)$/u;
