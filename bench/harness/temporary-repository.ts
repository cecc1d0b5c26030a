/** Owns the small git repositories that agents work in, and undoing what a run did there. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isolatedEnvironment } from './isolated-home.ts';

const executeFile = promisify(execFile);
const FILES = 50;

export interface TemporaryRepository {
  readonly path: string;
  /** Takes the branch back to its first commit, and removes every other branch and worktree. */
  reset(): Promise<void>;
}

/** Makes a repository of 50 small files and one commit in the folder `parent`, its identity set locally. */
export async function temporaryRepository(parent: string, name: string): Promise<TemporaryRepository> {
  const path = join(parent, name);
  await mkdir(join(path, 'src'), { recursive: true });
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await executeFile('git', args, { cwd: path, env: isolatedEnvironment(parent) });
    return stdout.trim();
  };
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Bench');
  await git('config', 'user.email', 'bench@example.invalid');
  for (let index = 0; index < FILES; index += 1)
    await writeFile(join(path, 'src', `file-${index}.ts`), `export const value${index} = ${index};\n`);
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
      for (const line of worktrees)
        await git('worktree', 'remove', '--force', '--force', line.slice('worktree '.length));
      const branches = (await git('for-each-ref', '--format=%(refname:short)', 'refs/heads'))
        .split('\n')
        .filter((branch) => branch !== 'main');
      if (branches.length > 0) await git('branch', '-q', '-D', ...branches);
    },
  };
}
