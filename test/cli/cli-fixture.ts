/** Shared fixtures of command tests: a repository, a schema, and the command. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';
import { type Ended, runCommand } from './run-command.ts';

export { type Ended, MAIN } from './run-command.ts';

/** Registers a cleanup for the end of a test or of a file. */
export type AtEnd = (remove: () => void) => void;

/**
 * Creates a temporary folder with `s.json`, a schema of `{ answer: number }`. It is removed after
 * the test.
 */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-cli-test-')));
  // Not by a hook of this module: files share it, and a hook would belong to the first of them.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
  writeFileSync(join(folder, 's.json'), JSON.stringify(schema));
  return folder;
}

/** Creates a repository with one commit in a temporary folder, and returns its path. */
export function makeRepository(atEnd?: AtEnd): string {
  const copy = join(temporaryFolder(atEnd), 'repo');
  copyRepository(copy);
  return copy;
}

const copyRepository = repositoryTemplate((path) => {
  const plainGit = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd: path });
  plainGit('init', '-q', '-b', 'main');
  plainGit('config', 'user.name', 'Test');
  plainGit('config', 'user.email', 'test@example.invalid');
  plainGit('commit', '-q', '--allow-empty', '-m', 'begin');
});

/** Runs git as a user would and returns its stdout. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await execa('git', args, { cwd })).stdout;
}

/** Runs the command in a folder, with a separate home. */
export function truecast(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return runCommand(args, { cwd, env: { HOME: cwd } });
}
