/** Owns the shell scripts that speak with git inside an isolated sandbox. Pure. POSIX sh and git 2.31 or later are all they need. */
import { quoteArgument } from '../../agents/shell-quote.ts';

/** Inside, the reference by which uncommitted files travel, both ways. */
export const CARRIER_REF = 'refs/truecast/carrier';

/** Names of git's variables that would lead it elsewhere. */
const PRELUDE =
  'set -eu; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE; LC_ALL=C; export LC_ALL';

/** Makes a folder for what travels, and says where HOME is: `home` and `folder`, each on a line. */
export const PREPARE_SCRIPT = `set -eu; umask 077; folder=$(mktemp -d); printf 'home %s\\nfolder %s\\n' "\${HOME:-}" "$folder"`;

/** What a worktree is set up from. */
export interface CloneScriptOptions {
  readonly worktreePath: string;
  /** The bundle inside. */
  readonly bundlePath: string;
  /** Inside, the list of commits whose parents the host does not have; undefined for a whole history. */
  readonly shallowPath: string | undefined;
  readonly objectFormat: string;
  readonly headSha: string;
  readonly branch: string | undefined;
  /** The reference of the carrier in the bundle. */
  readonly carrierRef: string;
  readonly indexTree: string;
  /** `user.name` and `user.email`, as the host has them. */
  readonly identity: readonly (readonly [key: string, value: string])[];
}

/** Makes the repository inside, with the branch checked out and uncommitted files as they are on the host; prints HEAD. */
export function cloneScript(options: CloneScriptOptions): string {
  const { worktreePath, bundlePath, shallowPath, branch, headSha, identity } = options;
  const place = quoteArgument(worktreePath);
  return [
    PRELUDE,
    `place=${place}`,
    // A machine that served before: what was there is kept beside, since it may hold the only copy of something.
    'if [ -e "$place/.git" ]; then n=1; while [ -e "$place.before-$n" ]; do n=$((n+1)); done; mv -- "$place" "$place.before-$n"; fi',
    'mkdir -p -- "$place"; cd -- "$place"',
    // What lies there already is the machine's, such as the dotfiles of a home.
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
 * Writes the state of the worktree inside into its repository, and says it line by line:
 * `head <sha>`, `ref <name>`, `index <tree>`, `files <tree>`, `carrier <sha>`, `branch <sha> <name>` …, `done`.
 * What cannot be added is said on stderr.
 */
export function lookScript(worktreePath: string): string {
  return [
    PRELUDE,
    `cd -- ${quoteArgument(worktreePath)}`,
    // Without this a repository that was removed would be looked for above.
    '[ -e .git ]',
    'own=$(git rev-parse --absolute-git-dir)/truecast-index; head=$(git rev-parse -q --verify "HEAD^{commit}" || :)',
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
    'echo done',
  ].join('\n');
}

/** What is packed for the way out. */
export interface PackScriptOptions {
  readonly worktreePath: string;
  readonly bundlePath: string;
  readonly carrierSha: string;
  /** Commits that the host has. */
  readonly known: readonly string[];
}

/** Writes all that the host lacks into one bundle, and prints its length in bytes. */
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

/** Packs folders and files as they are, for what git cannot carry; prints the archive's length in bytes. */
export function archiveScript(worktreePath: string, archivePath: string, paths: readonly string[]): string {
  const archive = quoteArgument(archivePath);
  const names = paths.map((path) => quoteArgument(`./${path}`)).join(' ');
  return `set -eu; mkdir -p -- "$(dirname -- ${archive})"; tar -C ${quoteArgument(worktreePath)} -czf ${archive} ${names}; wc -c < ${archive}`;
}
