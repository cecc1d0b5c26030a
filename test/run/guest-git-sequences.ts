/** Random sequences of git commands and file operations of a guest, all from a seed. */

/** Commands of a guest. `$G` is its git directory. */
const COMMANDS: readonly string[] = [
  'echo $n > f$n; git add -A; git commit -q -m c$n',
  'echo $n >> kept; git commit -q -a -m k$n',
  'git commit -q --amend -m a$n',
  'git reset -q --hard HEAD~1',
  'git reset -q --soft HEAD~1',
  'git checkout -q -b b$n',
  'git checkout -q work',
  'git checkout -q --detach',
  'git checkout -q --orphan o$n',
  'git branch -D main',
  'git branch -f main HEAD~1',
  'git branch -m r$n',
  'git update-ref refs/heads/main HEAD',
  'git update-ref -d refs/heads/work',
  'git update-ref refs/remotes/origin/main HEAD',
  'git tag -f v1; git tag t$n',
  'git update-ref refs/replace/$(git rev-parse HEAD) $(git commit-tree -m x HEAD^{tree})',
  'echo $n > kept; git stash -q',
  'git stash drop -q',
  'git merge -q --no-edit main',
  'git rebase -q main',
  'git gc -q --prune=now',
  'git pack-refs --all',
  'git reflog expire --all --expire=now',
];

/** Commands that usually break the git directory, so that its work is refused. */
const BREAKING_COMMANDS: readonly string[] = [
  'rm -rf "$G"/objects/*',
  'rm -rf "$G"/objects/info',
  'rm -rf "$G"/refs',
  'rm -f "$G"/packed-refs',
  'rm -f "$G"/HEAD',
  'rm -f "$G"/HEAD; mkfifo "$G"/HEAD',
  'rm -f "$G"/index',
  'head -c 100 /dev/urandom > "$G"/index',
  'head -c 40 /dev/urandom > "$G"/refs/heads/broken$n',
  'echo 0000000000000000000000000000000000000001 > "$G"/refs/heads/none$n',
  'git rev-parse HEAD > "$G"/shallow',
  'echo /etc > "$G"/commondir',
  'echo garbage >> "$G"/config',
  'git config core.fsmonitor "touch escaped"',
  'ln -sf /etc/passwd "$G"/packed-refs',
  'rm -rf "$G"/refs/heads; ln -s /etc "$G"/refs/heads',
  'find "$G"/objects -type f | head -1 | xargs -r sh -c \'chmod u+w "$0"; echo x > "$0"\'',
  'git init -q sub$n; git -C sub$n commit -q --allow-empty -m s; git add sub$n',
  'git rm -q --cached -r .',
  'echo "* filter=x" > .gitattributes; git config filter.x.clean cat; git add -A',
  'rm -rf "$G"/*',
];

const MAX_COMMANDS = 6;

/** Returns the shell script number `number` of a seed. Failing commands do not end it. */
export function randomSequence(seed: number, number: number): string {
  const random = generator(seed * 1_000_003 + number);
  const count = 1 + Math.floor(random() * MAX_COMMANDS);
  // Otherwise nearly no sequence of several commands would hand anything over.
  const pool = random() < 0.4 ? [...COMMANDS, ...BREAKING_COMMANDS] : COMMANDS;
  const commands = Array.from({ length: count }, (_, index) => {
    const command = pool[Math.floor(random() * pool.length)] ?? 'true';
    return `n=${number}_${index}; ${withoutWaiting(command)} 2>/dev/null`;
  });
  return commands.join('\n');
}

/** A git command waits forever for a HEAD that is a pipe: it is left out there, so that the host meets the pipe instead. */
function withoutWaiting(command: string): string {
  return command.includes('git ') ? `[ -p "$G"/HEAD ] || { ${command}; }` : `{ ${command}; }`;
}

/** Mulberry32: small, and the same on every machine. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
