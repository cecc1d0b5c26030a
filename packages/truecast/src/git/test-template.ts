/** Templates of test repositories: each is created once per process, by git, and then copied. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/**
 * Copies the repository `name` to `path`. `create` makes it in an empty folder, at the first call
 * of the process: starting git five times takes ten times as long as a copy.
 */
export function copyTemplate(name: string, path: string, create: (path: string) => void): void {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'truecast-templates-'));
    folder = created;
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
  }
  const template = join(folder, name);
  if (!existsSync(template)) {
    mkdirSync(template);
    create(template);
  }
  const skipsSamples = (source: string): boolean => !source.endsWith('.sample');
  cpSync(template, path, { recursive: true, preserveTimestamps: true, filter: skipsSamples });
  // The index holds the inodes of the template's files, which commands of git's plumbing compare.
  if (existsSync(join(path, '.git/index')))
    execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: path });
}
