/** Owns the folder `.truecast/` of a repository, and that what we put there is no news to `git status`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Our own files only: prompts and settings that a user keeps beside them stay visible to git. */
const IGNORED = ['/.gitignore', '/worktrees/', '/logs/', '/recovered/', '/outcomes.jsonl', '/.env', ''].join(
  '\n',
);

/** Returns the path of `.truecast/` under a checkout's top folder. */
export function truecastFolder(topLevel: string): string {
  return join(topLevel, '.truecast');
}

/** Returns the folder of all worktrees, given the top folder of the main checkout. */
export function worktreesFolder(mainTopLevel: string): string {
  return join(truecastFolder(mainTopLevel), 'worktrees');
}

/** Makes a folder in `.truecast/` that git does not look into, and returns its path. A user's own `.gitignore` there stays as it is. */
export function ensureTruecastFolder(topLevel: string, name: 'worktrees' | 'logs' | 'recovered'): string {
  const root = truecastFolder(topLevel);
  const folder = join(root, name);
  // Synchronous, as the locks are: the turns of the thread pool for it cost more than all of it.
  mkdirSync(folder, { recursive: true });
  writeNew(join(root, '.gitignore'), IGNORED);
  writeNew(join(folder, '.gitignore'), '*\n');
  return folder;
}

function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
