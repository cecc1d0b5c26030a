/** Git as a user types it: the usual commands in every folder of a checkout, in one shell process. */
import { spawnSync } from 'node:child_process';

/** Each is typed in each folder. A failure of one does not matter. */
const COMMANDS: readonly string[] = [
  'status',
  'diff',
  'log -p -3',
  'add -A',
  'commit -q -m mine',
  'checkout -q -',
  'stash -q -u',
  'fetch -q origin',
  'pull -q origin main',
  'gc -q --auto',
  'ls-files',
];

/**
 * Types all commands, in the deepest folders last, once for each repository and work tree that git finds
 * from a folder: in a second folder of the same, git would do the same again. Folders that only hold git's
 * data are left out.
 */
export function useGitInEveryFolder(checkout: string): void {
  const data = `'(' -name objects -o -name refs -o -name logs -o -name info -o -name branches -o -name truecast -o -name .truecast ')' -prune`;
  const folders = `find "$PWD" -maxdepth 2 ${data} -o -type d -print`;
  const typed = COMMANDS.map((command) => `git --no-pager ${command}`).join('; ');
  // It is a shell script that starts 25 programs: typed only where a submodule is declared.
  const submodules = '[ ! -e .gitmodules ] || git --no-pager submodule status';
  // An older time makes git look at the content of files again.
  const touch = `find "$PWD" -maxdepth 3 ${data} -o -type f ! -name '.*' -exec touch -c {} +`;
  // Anywhere else, git finds the repository of a folder above.
  const isRoot =
    '[ -e .git ] || [ -L .git ] || [ -e HEAD ] || [ -L HEAD ] || [ "$folder" = "$top" ] || continue';
  const found = 'key=$(git rev-parse --absolute-git-dir --show-toplevel 2> /dev/null)';
  const isNew = 'case "$seen" in *"<$key>"*) continue;; esac; [ -z "$key" ] || seen="$seen<$key>"';
  const use = `${folders} | while IFS= read -r folder; do cd "$folder" || continue; ${isRoot}; ${found}; ${isNew}; { ${typed}; ${submodules}; } < /dev/null; done`;
  spawnSync('sh', ['-c', `seen=; top=$PWD; ${touch}; ${use}`], {
    cwd: checkout,
    stdio: 'ignore',
    timeout: 50_000,
    env: { ...process.env, GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0' },
  });
}
