/** Repository on a disk that a test mounted: one commit, made without settings of the machine. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes the repository in an empty folder. */
export function makeDiskRepository(cwd: string): void {
  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd });
  };
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
}
