/** Owns noticing that the host took the ground from under a read-only mount: then the guest could write what the host executes. */
import { lstatSync, watch } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../errors/sandbox-error.ts';
import { EXECUTED_FOLDERS, WORKTREE_FILES } from './bubblewrap/git.ts';
import type { WorktreeGitPaths } from './sandbox-provider.ts';

const LOOK_MS = 50;

/**
 * Tells when a file or folder that is mounted read-only over a writable folder was replaced on the host. git itself does so when
 * the user sets anything: it writes a new file and renames it, and the kernel drops a mount whose place was renamed over.
 *
 * A linked worktree has only its own few files there; the repository's configuration is out of reach for it.
 * Returns what ends the watch.
 */
export function watchReadonlyGitPaths(
  { gitDir, commonDir }: WorktreeGitPaths,
  onReplaced: (error: SandboxError) => void,
): () => void {
  const names = gitDir === commonDir ? ['config', ...EXECUTED_FOLDERS, ...WORKTREE_FILES] : WORKTREE_FILES;
  const before = new Map(names.map((name) => [join(gitDir, name), identityOf(join(gitDir, name))]));
  const look = (): void => {
    for (const [path, identity] of before) {
      if (identity !== undefined && identityOf(path) !== identity) return onReplaced(replaced(path));
    }
  };
  const watcher = watch(gitDir, (_event, name) => {
    if (name === null || before.has(join(gitDir, name))) look();
  });
  // A guest that touches files without end can make the kernel drop what the watch should be told.
  const timer = setInterval(look, LOOK_MS);
  watcher.on('error', () => undefined);
  return () => {
    clearInterval(timer);
    watcher.close();
  };
}

/** Undefined for what is not there, and so is not mounted. */
function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function replaced(path: string): SandboxError {
  return new SandboxError(
    `\`${path}\` was replaced on the host while a command ran in the sandbox, where it could then be written; the command was ended. Set git's configuration before or after a run, or let the agent work on a branch of its own (\`branchStrategy\`).`,
    { code: 'exec' },
  );
}
