/**
 * Shell scripts that run git inside an isolated sandbox. Pure. They need only POSIX sh and git 2.31
 * or later.
 */
import { UNFINISHED_FILES } from '../../git/recovered/keep-aside.ts';
import { quoteArgument } from '../../support/shell-quote.ts';

/** Reference inside for the carrier commit of uncommitted files, in both directions. */
export const CARRIER_REF = 'refs/truecast/carrier';

/** Unsets git variables that would redirect git to another repository. */
const PRELUDE =
  'set -eu; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE; LC_ALL=C; export LC_ALL';

/**
 * Creates a folder for transfers, and prints HOME and the folder: `home` and `folder`, one per
 * line.
 */
export const PREPARE_SCRIPT = `set -eu; umask 077; folder=$(mktemp -d); printf 'home %s\\nfolder %s\\n' "\${HOME:-}" "$folder"`;

export interface CloneScriptOptions {
  readonly worktreePath: string;
  /** Path of the bundle inside. */
  readonly bundlePath: string;
  /**
   * Sandbox path of a copy of `.git/shallow`: the commits whose parents the host lacks. Undefined
   * for a complete history.
   */
  readonly shallowPath: string | undefined;
  readonly objectFormat: string;
  readonly headSha: string;
  readonly branch: string | undefined;
  /** Reference of the carrier commit in the bundle. */
  readonly carrierRef: string;
  readonly indexTree: string;
  /** The host's `user.name` and `user.email`. */
  readonly identity: readonly (readonly [key: string, value: string])[];
}

/**
 * Returns a script that creates the repository inside, with the branch checked out and the host's
 * uncommitted files. It prints HEAD.
 */
export function cloneScript(options: CloneScriptOptions): string {
  const { worktreePath, bundlePath, shallowPath, branch, headSha, identity } = options;
  const place = quoteArgument(worktreePath);
  return [
    PRELUDE,
    `place=${place}`,
    // The machine was used before. Rename the old folder, because it can contain the only copy of
    // some work.
    'if [ -e "$place/.git" ]; then n=1; while [ -e "$place.before-$n" ]; do n=$((n+1)); done; mv -- "$place" "$place.before-$n"; fi',
    'mkdir -p -- "$place"; cd -- "$place"',
    // Existing files belong to the machine, such as the dotfiles of a home.
    String.raw`found=$(find . -mindepth 1 ! -type d | sed 's/[][\\*?!# ]/\\&/g; s/^\.//')`,
    `git init -q --object-format=${quoteArgument(options.objectFormat)}`,
    'mkdir -p .git/info; printf "%s\\n" "$found" >> .git/info/exclude',
    ...(shallowPath === undefined ? [] : [`cp -- ${quoteArgument(shallowPath)} .git/shallow`]),
    ...identity.map(([key, value]) => `git config ${key} ${quoteArgument(value)}`),
    `git fetch -q --no-tags --update-head-ok ${quoteArgument(bundlePath)} '+refs/heads/*:refs/heads/*' '+${options.carrierRef}:${CARRIER_REF}'`,
    branch === undefined
      ? `git update-ref --no-deref HEAD ${headSha}`
      : `git symbolic-ref HEAD ${quoteArgument(`refs/heads/${branch}`)}`,
    'git reset -q --hard',
    `git read-tree --reset -u ${CARRIER_REF}; git read-tree --reset ${options.indexTree}; git update-index -q --refresh || :`,
    `git update-ref -d ${CARRIER_REF}`,
    'git rev-parse HEAD',
  ].join('\n');
}

/**
 * Returns a script that writes the state of the worktree into its repository and prints it line by
 * line: `head <sha>`, `ref <name>`, `index <tree>`, `files <tree>`, `carrier <sha>`, `branch <sha>
 * <name>` …, `busy` in the middle of a merge or rebase, `stash <count>`, `done`. Files that cannot be added are reported on stderr.
 */
export function lookScript(worktreePath: string): string {
  return [
    PRELUDE,
    `cd -- ${quoteArgument(worktreePath)}`,
    // Without this check, git would search parent folders if the repository was removed.
    '[ -e .git ]',
    'dir=$(git rev-parse --absolute-git-dir); own=$dir/truecast-index; head=$(git rev-parse -q --verify "HEAD^{commit}" || :)',
    'cp -f -- "$(git rev-parse --git-path index)" "$own" 2>/dev/null || rm -f -- "$own"',
    `if [ -n "$head" ]; then empty='HEAD^{tree}'; parent="-p $head"; else empty=$(git hash-object -t tree -w /dev/null); parent=; fi`,
    'index=$(git write-tree 2>/dev/null || git rev-parse "$empty")',
    'GIT_INDEX_FILE=$own git -c advice.addEmbeddedRepo=false add --all --ignore-errors -- . || echo "Some files could not be read." >&2',
    'files=$(GIT_INDEX_FILE=$own git write-tree); rm -f -- "$own"',
    "GIT_AUTHOR_NAME=Truecast GIT_AUTHOR_EMAIL=truecast@localhost GIT_AUTHOR_DATE='@946684800 +0000'",
    'GIT_COMMITTER_NAME=Truecast GIT_COMMITTER_EMAIL=truecast@localhost GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE',
    'export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE',
    'staged=$(git -c commit.gpgSign=false commit-tree "$index" $parent -m index)',
    'carrier=$(git -c commit.gpgSign=false commit-tree "$files" -p "$staged" -m files)',
    'printf "head %s\\nref %s\\nindex %s\\nfiles %s\\ncarrier %s\\n" "$head" "$(git symbolic-ref -q HEAD || :)" "$index" "$files" "$carrier"',
    "git for-each-ref --format='branch %(objectname) %(refname)' refs/heads",
    `for f in ${UNFINISHED_FILES.join(' ')}; do [ ! -e "$dir/$f" ] || echo busy; done`,
    '[ ! -f "$dir/logs/refs/stash" ] || echo stash $(wc -l < "$dir/logs/refs/stash")',
    'echo done',
  ].join('\n');
}

export interface PackScriptOptions {
  readonly worktreePath: string;
  readonly bundlePath: string;
  readonly carrierSha: string;
  /** Commits that exist on the host. */
  readonly known: readonly string[];
}

/**
 * Returns a script that writes everything missing on the host into one bundle and prints its size
 * in bytes.
 */
export function packScript({ worktreePath, bundlePath, carrierSha, known }: PackScriptOptions): string {
  const bundle = quoteArgument(bundlePath);
  return [
    PRELUDE,
    `cd -- ${quoteArgument(worktreePath)}; not=`,
    `for sha in ${known.join(' ')}; do if git cat-file -e "$sha^{commit}" 2>/dev/null; then not="$not ^$sha"; fi; done`,
    `mkdir -p -- "$(dirname -- ${bundle})"; git update-ref ${CARRIER_REF} ${carrierSha}`,
    `git bundle create -q ${bundle} --branches ${CARRIER_REF} $not`,
    `git update-ref -d ${CARRIER_REF}; wc -c < ${bundle}`,
  ].join('\n');
}

/**
 * Returns a script that archives folders and files that git cannot transfer, and prints the
 * archive's size in bytes.
 */
export function archiveScript(worktreePath: string, archivePath: string, paths: readonly string[]): string {
  const archive = quoteArgument(archivePath);
  const names = paths.map((path) => quoteArgument(`./${path}`)).join(' ');
  return `set -eu; mkdir -p -- "$(dirname -- ${archive})"; tar -C ${quoteArgument(worktreePath)} -czf ${archive} ${names}; wc -c < ${archive}`;
}
