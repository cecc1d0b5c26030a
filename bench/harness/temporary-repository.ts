/** Small git repositories for agents, and the reset after a run. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isolatedEnvironment } from './isolated-home.ts';

const executeFile = promisify(execFile);
/** Files of a repository, in folders of at most this many. */
const FILES_PER_FOLDER = 200;

export interface TemporaryRepository {
  readonly path: string;
  /** Resets the branch to its first commit, and removes every other branch and worktree. */
  reset(): Promise<void>;
}

/**
 * Creates a repository of `files` small files and one commit in the folder `parent`, with a local
 * identity.
 */
export async function temporaryRepository(
  parent: string,
  name: string,
  files = 50,
): Promise<TemporaryRepository> {
  const path = join(parent, name);
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await executeFile('git', args, { cwd: path, env: isolatedEnvironment(parent) });
    return stdout.trim();
  };
  await mkdir(path, { recursive: true });
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Bench');
  await git('config', 'user.email', 'bench@example.invalid');
  await writeFiles(path, files);
  await writeFile(join(path, '.gitignore'), '.truecast/\n.sandcastle/\n.by-hand/\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'first');
  const base = await git('rev-parse', 'HEAD');
  return {
    path,
    reset: async () => {
      await git('reset', '-q', '--hard', base);
      const worktrees = (await git('worktree', 'list', '--porcelain'))
        .split('\n')
        .filter((line) => line.startsWith('worktree '))
        .slice(1);
      for (const line of worktrees) {
        await git('worktree', 'remove', '--force', '--force', line.slice('worktree '.length));
      }
      const branches = (await git('for-each-ref', '--format=%(refname:short)', 'refs/heads'))
        .split('\n')
        .filter((branch) => branch !== 'main');
      if (branches.length > 0) await git('branch', '-q', '-D', ...branches);
    },
  };
}

async function writeFiles(repository: string, files: number): Promise<void> {
  for (let index = 0; index < files; index += 1) {
    const folder = join(repository, 'src', String(Math.floor(index / FILES_PER_FOLDER)));
    if (index % FILES_PER_FOLDER === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file-${index}.ts`), `export const value${index} = ${index};\n`);
  }
}
