/** Shell script that runs inside at the end of a turn: prints the state of the guest's store as text, then one pack. Pure. */
import { UNFINISHED_FILES } from '../../git/recovered/keep-aside.ts';
import { quoteArgument } from '../../support/shell-quote.ts';

/** Mount point of the files that the script reads. */
export const HANDED_FOLDER = '/run/truecast/git-store';

export interface FinalScriptOptions {
  readonly gitDir: string;
  readonly worktreePath: string;
  /** True for a partial clone, where missing objects are normal. */
  readonly isPartial: boolean;
  /**
   * `all`: every reference. `branch`: only HEAD and the index, for a store with a broken reference.
   */
  readonly extent: 'all' | 'branch';
  /** The branch's commit at the last hand-over. */
  readonly baseSha: string;
  /** References of the last hand-over, by name. */
  readonly known: ReadonlyMap<string, string>;
}

/** Up to this number, the script contains the references, which saves two programs. */
const MAX_INLINE_REFERENCES = 50;

/** The last line before the pack. */
export const PACK_FOLLOWS = '\npack\n';

/**
 * Returns the script. It prints the references that differ from the known ones: all of them if the
 * script contains the known ones and one differs. The host ignores the references that it knows.
 *
 * With many references, `known` in the folder lists those of the last hand-over, and `not` their ids.
 *
 * The tree is written while the references are listed: the pipe keeps its id until then. The
 * packing program has already started, and waits for the end of its stdin. An unchanged store has
 * an empty pack.
 *
 * A `commondir` file would redirect git away from the store, so it is removed. A HEAD that is not a
 * regular file would block the shell forever, so it is tested first.
 */
export function finalScript(options: FinalScriptOptions): string {
  const { gitDir, worktreePath, isPartial, extent } = options;
  const promisor = isPartial ? ' --missing=allow-promisor --exclude-promisor-objects' : '';
  const isAll = extent === 'all';
  const { readReferences, printNot } = compareWithKnown(options);
  return `set -u
unset GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR
export GIT_DIR=${quoteArgument(gitDir)} GIT_WORK_TREE=${quoteArgument(worktreePath)} GIT_NO_REPLACE_OBJECTS=1 GIT_OPTIONAL_LOCKS=0
H=${HANDED_FOLDER}
for f in commondir gitdir; do [ ! -e "$GIT_DIR/$f" ] || rm -rf "$GIT_DIR/$f"; done
command -v git >/dev/null || { echo none; exit 0; }
[ -f "$GIT_DIR/HEAD" ] || { echo "HEAD is no file" >&2; exit 3; }
read -r head < "$GIT_DIR/HEAD"
exec 3>&1
git write-tree --missing-ok 2>/dev/null 3>&- | {
{
${readReferences}
read -r index || index=
stash=
left=
${isAll ? `${STASH}\n${HEAD_LOG}` : ''}
printf 'head %s\\nindex %s\\n' "$head" "$index"
for f in ${UNFINISHED_FILES.join(' ')}; do
  [ ! -e "$GIT_DIR/$f" ] || echo busy "$f"
done
for s in $stash; do echo "stash $s"; done
for s in $left; do echo "left $s"; done
for f in "$GIT_DIR"/lfs/objects/??/??/*; do [ ! -f "$f" ] || echo "lfs \${f##*/}"; done
if [ -n "$refs" ]; then
  printf '%s\\n' "$refs"
elif [ -z "$stash$left" ] && [ "$index" = "$(git rev-parse -q --verify 'HEAD^{tree}')" ]; then
  echo none
fi
echo pack
} >&3 3>&-
for i in $index $stash $left${isAll ? '' : ' HEAD'}; do echo "$i"; done; ${printNot}
} | git -c pack.threads=1 pack-objects${isAll ? ' --all' : ' --revs'} --thin --delta-base-offset --stdout -q${promisor} 3>&-`;
}

const STASH = `[ ! -f "$GIT_DIR/logs/refs/stash" ] || while read -r _ s _; do stash="$stash $s"; done < "$GIT_DIR/logs/refs/stash"`;

/** Created commits that the script prints. Each line costs text, of which a hand-over has few megabytes. */
const MAX_MADE = 10_000;
/** Log entries of created commits, as `madeSince()` finds them. */
const MADE: string = [
  '"\tcommit"*',
  '"\tcherry-pick: "*',
  '"\trevert:"*',
  '"\tam:"*',
  ...['pick', 'reword', 'edit', 'squash', 'fixup', 'continue'].map((step) => `"\trebase "*"(${step})"*`),
  '"\tmerge "*": Merge made "*',
  '"\tpull"*": Merge made "*',
]
  .map((pattern) => `*${pattern}`)
  .join('|');

/**
 * Commits of a detached HEAD that a checkout left: no name leads to them any more. And commits that were created
 * here, because one that another branch has already is in no pack. The shell reads the log itself, which starts no
 * program.
 */
const HEAD_LOG = `m=0
[ ! -f "$GIT_DIR/logs/HEAD" ] || while IFS= read -r l; do case $l in
*"checkout: moving from "*" to "*) s=\${l##*checkout: moving from }; s=\${s%% to *}; case $s in *[!0-9a-f]*) ;; ????????????????????????????????????????*) case " $left " in *" $s "*) ;; *) left="$left $s" ;; esac ;; esac ;;
*"\tcherry-pick: fast-forward"*) ;;
${MADE}) [ $m -ge ${MAX_MADE} ] || { m=$((m+1)); l=\${l#* }; echo "made \${l%% *}"; } ;;
esac; done < "$GIT_DIR/logs/HEAD"`;

/** Returns the commands that set `refs`, and those that print the ids on the host. */
function compareWithKnown({ extent, baseSha, known }: FinalScriptOptions): {
  readonly readReferences: string;
  readonly printNot: string;
} {
  if (extent === 'all' && known.size <= MAX_INLINE_REFERENCES) {
    const lines = [...known].toSorted(byReferenceName).map(([name, sha]) => `${sha} ${name}`);
    const shown = quoteArgument([`${baseSha} HEAD`, ...lines].join('\n'));
    return {
      readReferences: `refs=$(git show-ref --head)\n[ "$refs" != ${shown} ] || refs=`,
      printNot: `printf '%s\\n' --not ${[...new Set([baseSha, ...known.values()])].join(' ')}`,
    };
  }
  const listed =
    extent === 'all' ? 'show-ref --head' : "rev-parse -q --verify 'HEAD^{commit}' | sed 's/$/ HEAD/'";
  return { readReferences: `refs=$(git ${listed} | grep -vxFf $H/known)`, printNot: 'cat $H/not' };
}

/** Orders references as git does: by the bytes of their names. */
export function byReferenceName(
  [one]: readonly [string, string],
  [other]: readonly [string, string],
): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
