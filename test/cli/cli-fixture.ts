/** Owns what the tests of single commands share: a repository, a schema, and the command as a process. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach } from 'vitest';

/** The command's main file. */
export const MAIN: string = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Makes a temporary folder with `s.json`, a schema of `{ answer: number }`; it goes after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-cli-test-')));
  folders.push(folder);
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
  writeFileSync(join(folder, 's.json'), JSON.stringify(schema));
  return folder;
}

/** Makes a repository with one commit in a temporary folder, and returns its path. */
export async function makeRepository(): Promise<string> {
  const repo = join(temporaryFolder(), 'repo');
  mkdirSync(repo);
  await git(repo, 'init', '-q', '-b', 'main');
  await git(repo, 'config', 'user.name', 'Test');
  await git(repo, 'config', 'user.email', 'test@example.invalid');
  await git(repo, 'commit', '-q', '--allow-empty', '-m', 'begin');
  return repo;
}

/** Runs git as a user would; returns its stdout. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await execa('git', args, { cwd })).stdout;
}

/** How a command ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** Runs the command in a folder, with a home of its own. */
export async function truecast(cwd: string, ...args: readonly string[]): Promise<Ended> {
  // A folder of temporary files of its own: what the other tests of this machine leave there is not seen.
  const temporary = mkdtempSync(join(tmpdir(), 'cli-'));
  const { stdout, stderr, exitCode } = await execa(process.execPath, [MAIN, ...args], {
    cwd,
    reject: false,
    env: { HOME: cwd, TMPDIR: temporary },
  });
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  return { stdout, stderr, exitCode };
}
