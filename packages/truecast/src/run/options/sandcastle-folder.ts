/** Warnings about a `.sandcastle/` folder, which a run never reads. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../git/repository/repository.ts';

const FOLDER = '.sandcastle';

/**
 * Lists the unused contents of the folder: keys, if `.truecast/.env` is missing, and worktrees that
 * keep their branches in use. Only names are listed, and links are not followed.
 */
export async function sandcastleWarnings(
  { topLevel }: Repository,
  { hasEnvFile }: { readonly hasEnvFile: boolean },
): Promise<readonly string[]> {
  const folder = join(topLevel, FOLDER);
  if ((await kindOf(folder)) !== 'folder') return [];
  const worktrees = join(folder, 'worktrees');
  const kept = (await kindOf(worktrees)) === 'folder' ? await readdir(worktrees).catch(() => []) : [];
  return [
    ...(!hasEnvFile && (await kindOf(join(folder, '.env'))) === 'file' ? [KEYS_NOT_READ] : []),
    ...(kept.length > 0 ? [worktreesKept(kept.length)] : []),
  ];
}

const KEYS_NOT_READ =
  'sandcastle-env-file: `.sandcastle/.env` is not read, so its keys are missing. Run `truecast init --from-sandcastle`, or copy the keys to `.truecast/.env`.';

function worktreesKept(count: number): string {
  const many = count === 1 ? 'has 1 entry' : `has ${count} entries`;
  return `sandcastle-worktrees: \`.sandcastle/worktrees\` ${many}. A worktree there keeps its branch in use. List them with \`git worktree list\`, and remove each with \`git worktree remove\`.`;
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) return 'folder';
  return stats?.isFile() === true ? 'file' : undefined;
}
