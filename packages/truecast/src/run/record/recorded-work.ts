/**
 * Changes of a recorded turn: collects the changes of one worktree and applies them to another. All
 * git commands run inside the sandbox.
 */
import { randomUUID } from 'node:crypto';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxExecOptions, SandboxExecResult } from '../../ports/sandbox-provider.ts';
import type { RecordedCommit, RecordedWork } from './recording.ts';

/** Runs a command in the worktree, inside the sandbox. */
type Exec = (command: string, options?: SandboxExecOptions) => Promise<SandboxExecResult>;

/** State of a worktree. */
export interface WorkSnapshot {
  readonly head: string;
  /** Id of a tree with all files that git does not ignore, committed or not. */
  readonly tree: string;
}

/**
 * Attributes can configure an external program. Colors, prefixes and renames depend on user
 * settings.
 */
const DIFF =
  'git -c diff.noprefix=false -c diff.mnemonicPrefix=false diff --no-ext-diff --no-textconv --no-color --no-renames --binary --full-index';

const APPLY_FILES = 'base64 -d | git apply --binary --whitespace=nowarn';

/** Uses a separate index, to leave the agent's staged changes untouched. */
const SNAPSHOT = `set -e
index=$(mktemp -u)
cp "$(git rev-parse --git-path index)" "$index" 2>/dev/null || true
export GIT_INDEX_FILE="$index"
git add --all
git rev-parse HEAD
git write-tree
rm -f "$index"`;

/** Returns the state of a worktree, or undefined if git fails. */
export async function takeSnapshot(exec: Exec): Promise<WorkSnapshot | undefined> {
  const [head, tree] = (await readLines(exec, SNAPSHOT)) ?? [];
  return head === undefined || tree === undefined ? undefined : { head, tree };
}

/** Returns the work between two snapshots, or undefined if git fails or the work is too large. */
export async function collectWork(
  exec: Exec,
  before: WorkSnapshot,
  after: WorkSnapshot,
): Promise<RecordedWork | undefined> {
  const files = await diffOf(exec, before.tree, after.tree);
  if (files === undefined) return undefined;
  const commits: RecordedCommit[] = [];
  let parent = before.head;
  for (const commit of await commitsBetween(exec, before.head, after.head)) {
    const recorded = await readCommit(exec, parent, commit);
    if (recorded === undefined) return undefined;
    commits.push(recorded);
    parent = commit;
  }
  return { files, commits };
}

/**
 * Applies recorded work: the files of the worktree, and the commits with their authors, messages
 * and dates.
 *
 * @returns git's error message if the work does not apply to this worktree, else undefined
 */
export async function applyRecordedWork(
  exec: Exec,
  { files, commits }: RecordedWork,
): Promise<string | undefined> {
  const failed = files === '' ? undefined : await run(exec, APPLY_FILES, files);
  if (failed !== undefined) return failed;
  for (const commit of commits) {
    const failure = await run(exec, commitScript(commit), commit.patch);
    if (failure !== undefined) return failure;
  }
  return commits.length === 0 ? undefined : run(exec, 'git reset --quiet', '');
}

/**
 * A rewritten history has no commits after the old head. Its new head is then recorded as one
 * commit.
 */
async function commitsBetween(exec: Exec, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const commits = await readLines(
    exec,
    `git merge-base --is-ancestor ${from} ${to} && git rev-list --reverse --first-parent ${from}..${to}`,
  );
  return commits ?? [to];
}

async function readCommit(exec: Exec, parent: string, commit: string): Promise<RecordedCommit | undefined> {
  const fields = await readLines(exec, `git log -1 --no-show-signature --format='%an%n%ae%n%aI' ${commit}`);
  const message = await readLines(exec, `git log -1 --no-show-signature --format=%B ${commit} | base64`);
  const patch = await diffOf(exec, parent, commit);
  const [authorName, authorEmail, authorDate] = fields ?? [];
  if (authorName === undefined || authorEmail === undefined || authorDate === undefined) return undefined;
  if (message === undefined || patch === undefined) return undefined;
  const text = Buffer.from(message.join(''), 'base64').toString().trimEnd();
  return { authorName, authorEmail, authorDate, message: text, patch };
}

/** Returns a diff in base64, because files are not always UTF-8. */
async function diffOf(exec: Exec, from: string, to: string): Promise<string | undefined> {
  // A pipe would return only the exit code of `base64`.
  const script = `set -e; diff=$(mktemp); trap 'rm -f "$diff"' EXIT; ${DIFF} ${from} ${to} > "$diff"; base64 < "$diff"`;
  return (await readLines(exec, script))?.join('');
}

function commitScript({ authorName, authorEmail, authorDate, message }: RecordedCommit): string {
  const identity = {
    GIT_AUTHOR_NAME: authorName,
    GIT_AUTHOR_EMAIL: authorEmail,
    GIT_AUTHOR_DATE: authorDate,
    GIT_COMMITTER_NAME: 'Truecast replay',
    // Each commit is unique. A commit that already exists on another branch would not count for
    // this run.
    GIT_COMMITTER_EMAIL: `${randomUUID()}@replay.invalid`,
  };
  const settings = Object.entries(identity).map(([name, value]) => `export ${name}=${quoteArgument(value)}`);
  return `set -e
index=$(mktemp -u)
export GIT_INDEX_FILE="$index"
${settings.join('\n')}
git read-tree HEAD
base64 -d > "$index.patch"
if [ -s "$index.patch" ]; then git apply --cached --binary --whitespace=nowarn "$index.patch"; fi
git update-ref HEAD "$(printf '%s\\n' ${quoteArgument(message)} | git commit-tree "$(git write-tree)" -p HEAD)"
rm -f "$index" "$index.patch"`;
}

async function readLines(exec: Exec, command: string): Promise<readonly string[] | undefined> {
  const { stdout, exitCode, isOutputCut } = await exec(command);
  return exitCode === 0 && isOutputCut !== true
    ? stdout.split('\n').filter((line) => line !== '')
    : undefined;
}

async function run(exec: Exec, command: string, stdin: string): Promise<string | undefined> {
  const { exitCode, stderr } = await exec(command, { stdin });
  return exitCode === 0 ? undefined : stderr.trim() || `exit code ${exitCode}`;
}
