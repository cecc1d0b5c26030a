/**
 * Moves of the caller's branch, and of its remote branch, while an agent worked that uses the
 * repository's own git directory. Such an agent can move them, and take commits off them.
 */
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitOptions } from '../command/git.ts';
import { madeSince, readReferenceLog } from './head-log.ts';
import { keepAside } from './keep-aside.ts';
import { hostReferences, readReferenceFile, type StartMarks } from './start-marks.ts';

/** Place of a run that can see a move. */
export interface HostMovesSearch {
  /** The run's branch. */
  readonly branch: string | undefined;
  readonly baseSha: string;
  readonly commonDir: string;
  readonly marks: StartMarks;
  /** The caller's checkout at the start: its branch, and the ids of all references. */
  readonly repository: {
    readonly branch: string | undefined;
    readonly references: ReadonlyMap<string, string> | undefined;
  };
}

/** A reference that moved, or was deleted. */
export interface HostMove {
  readonly reference: string;
  readonly before: string;
}

/**
 * Returns the moves since the start. Starts no git. Leaves out the run's own branch, and a branch
 * that only merges of runs moved.
 */
export function findHostMoves(search: HostMovesSearch): readonly HostMove[] {
  const { branch, repository } = search;
  if (repository.branch === branch) return [];
  return hostReferences(repository.branch).flatMap((reference) => findMove(reference, search) ?? []);
}

function findMove(
  reference: string,
  { baseSha, commonDir, marks, repository }: HostMovesSearch,
): HostMove | undefined {
  const marked = marks.hostTips.get(reference);
  const after = readReferenceFile(commonDir, reference);
  if (after === marked) return undefined;
  // A first push creates the remote branch.
  const before =
    marked ?? repository.references?.get(reference) ?? (isLocal(reference) ? undefined : baseSha);
  if (before === undefined || before === after) return undefined;
  return isMovedByRuns(commonDir, { reference, before }) ? undefined : { reference, before };
}

function isLocal(reference: string): boolean {
  return reference.startsWith('refs/heads/');
}

/** Truecast merges by id, and git writes the id to the log. */
const MERGE_OF_RUN = /\tmerge [0-9a-f]{40,64}: /u;

function isMovedByRuns(commonDir: string, { reference, before }: HostMove): boolean {
  const lines = readReferenceLog(commonDir, reference).split('\n');
  const start = lines.findLastIndex((line) => line.split(' ')[1] === before) + 1;
  const moves = lines.slice(start).filter((line) => line !== '');
  return moves.length > 0 && moves.every((line) => MERGE_OF_RUN.test(line));
}

/** References that keep what the moves took away or added, and the warnings. */
export interface KeptMoves {
  readonly recovered: readonly RecoveredRef[];
  readonly warnings: readonly string[];
}

/** Keeps the agent's commits on the caller's branch, and commits that are no longer on it. */
export async function keepHostMoves(
  moves: readonly HostMove[],
  { id, gitDir, marks }: { readonly id: string; readonly gitDir: string; readonly marks: StartMarks },
  call: GitOptions,
): Promise<KeptMoves> {
  const made = madeSince(gitDir, marks.headLog);
  const kept = await Promise.all(moves.map((move) => keepMove(move, { id, made }, call)));
  return {
    recovered: kept.flatMap(({ recovered }) => recovered),
    warnings: kept.flatMap(({ warnings }) => warnings),
  };
}

async function keepMove(
  { reference, before }: HostMove,
  { id, made }: { readonly id: string; readonly made: ReadonlySet<string> },
  call: GitOptions,
): Promise<KeptMoves> {
  const read = await git(['rev-parse', '--verify', '--quiet', `${reference}^{commit}`], call);
  const after = read.exitCode === 0 ? read.stdout.trim() : undefined;
  const name = reference.replace(/^refs\/(?:heads|remotes)\//u, '');
  const published = isLocal(reference) ? [`^refs/remotes/origin/${name}`] : [];
  const [added, lost] = await Promise.all([
    after === undefined ? [] : list([after, `^${before}`, ...published], call),
    list([before, ...(after === undefined ? [] : [`^${after}`])], call),
  ]);
  const range = `\`git log ${before.slice(0, 12)}..${after?.slice(0, 12) ?? name}\``;
  const keep = (folder: string, sha: string): Promise<RecoveredRef[]> =>
    keepAside({ id, kept: [{ name: `${folder}/${name}`, sha, from: reference }] }, call);
  if (after !== undefined && added.some((sha) => made.has(sha))) {
    const recovered = [
      ...(await keep('heads', after)),
      ...(lost.length > 0 ? await keep('before', before) : []),
    ];
    const refs = recovered.map(({ ref }) => `\`${ref}\``).join(' and ');
    return {
      recovered,
      warnings: [
        `The agent itself moved \`${name}\`, before any review or check. It is kept as ${refs}. Look at ${range}.`,
      ],
    };
  }
  // The user, or a fetch, moves a remote branch.
  if (!isLocal(reference)) return NOTHING;
  if (lost.length > 0) {
    const recovered = await keep('before', before);
    const what = after === undefined ? 'was deleted' : `lost ${countOf(lost)}`;
    return { recovered, warnings: recovered.map(({ ref }) => describeLost(name, what, ref)) };
  }
  if (added.length === 0) return NOTHING;
  return {
    recovered: [],
    warnings: [
      `\`${name}\` got ${countOf(added)} while the agent worked. If neither you nor another run committed there, the agent did. Look at ${range}.`,
    ],
  };
}

const NOTHING: KeptMoves = { recovered: [], warnings: [] };

function countOf({ length }: readonly string[]): string {
  return `${length} commit${length === 1 ? '' : 's'}`;
}

function describeLost(name: string, what: string, ref: string): string {
  return `\`${name}\` ${what} while the agent worked. Its earlier tip is kept as \`${ref}\`. If it was not you, restore it: \`git branch -f ${name} ${ref}\`, or on it \`git reset --keep ${ref}\`.`;
}

async function list(revisions: readonly string[], call: GitOptions): Promise<readonly string[]> {
  const input = `${revisions.join('\n')}\n`;
  const { stdout } = await git(['rev-list', '--ignore-missing', '--stdin'], { ...call, input });
  return stdout.split('\n').filter((sha) => sha !== '');
}
