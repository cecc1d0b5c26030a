/** Tests of `truecast run --merge --merge-check`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository, truecast } from './cli-fixture.ts';

const AGENT = `command:sh -c 'echo work > b.txt && git add -A && git commit -qm work'`;

it.each([
  ['test -s b.txt', 0, ''],
  ['echo 2 tests fail; exit 3', 1, '`echo 2 tests fail; exit 3` exited with 3. 2 tests fail'],
])('merges after `%s` on the merged files, or exits with %i', async (check, code, message) => {
  const repo = makeRepository();
  const args = ['run', 'Work.', '--sandbox', 'none', '--agent', AGENT, '--merge', '--merge-check', check];
  const { stderr, exitCode } = await truecast(repo, ...args);
  expect(exitCode, stderr).toBe(code);
  expect(stderr).toContain(message);
  expect(existsSync(join(repo, 'b.txt'))).toBe(code === 0);
});
