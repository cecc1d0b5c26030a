/** A worktree on the branch `run`, a guest's script in it, and its hand-over. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitHandOver, OwnGitHandle } from '../../../packages/truecast/src/ports/own-git.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { git } from '../fixture.ts';

/** Adds the worktree. */
export function addWorktree(path: string): { readonly worktreePath: string; readonly gitDir: string } {
  const worktreePath = join(path, '.truecast', 'worktrees', 'w');
  git(path, 'worktree', 'add', '-q', '-b', 'run', worktreePath);
  return { worktreePath, gitDir: git(worktreePath, 'rev-parse', '--absolute-git-dir') };
}

/** Runs a script in the sandbox of a worktree, and hands its work over. */
export async function handOverFrom(
  path: string,
  { worktreePath, gitDir }: ReturnType<typeof addWorktree>,
  script: string,
  meanwhile: () => void = () => undefined,
): Promise<GitHandOver> {
  const handle: OwnGitHandle = await bubblewrap({ egress: 'none' }).create({
    worktreePath,
    hostRepoPath: path,
    mounts: [],
    env: {},
    git: { gitDir, commonDir: join(path, '.git') },
  });
  try {
    const { exitCode, stdout, stderr } = await handle.exec(script);
    if (exitCode !== 0) throw new Error(`The script failed: ${exitCode} ${stdout} ${stderr}`);
    meanwhile();
    return (await handle.handOver?.()) ?? { recovered: [], warnings: [] };
  } finally {
    await handle.close();
  }
}

/** Names of the stores that are left. */
export function storesOf(path: string): readonly string[] {
  const folder = join(path, '.git', 'truecast', 'guests');
  return existsSync(folder) ? readdirSync(folder) : [];
}
