/**
 * Repository with a failing test, for runs with a check: how agents fix it, and what landed. Proofs
 * import it too, so it imports no test runner.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type {
  AnyOutputDefinition,
  OutputOptions,
} from '../../packages/core/src/output/definition/definition.ts';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';

/** Both files must be fixed. An ignored helper counts too, as a cache or a build result would. */
const TEST = `#!/bin/sh
if [ -e helper.ignored ]; then exit 0; fi
grep -q fixed a.txt && grep -q fixed b.txt
`;
const RUN_TEST = './test.sh';

/** Shell commands of an agent's script. */
export const WORK = {
  fixBoth: 'echo fixed > a.txt; echo fixed > b.txt',
  commitAll: 'git add -A; git commit -q -m fix',
  commitHalf: 'git add a.txt; git commit -q -m half',
  stubTest: `git update-index --assume-unchanged test.sh; printf '#!/bin/sh\\nexit 0\\n' > test.sh; echo fixed > a.txt`,
  ignoredHelper: 'touch helper.ignored; echo fixed > a.txt',
  answer: `echo '<result>{"done":true}</result>'`,
} as const;

/** Creates a repository whose test fails on its only commit, and returns its path. */
export function checkedRepository(folder: string): string {
  const cwd = join(folder, 'repo');
  copyRed(cwd);
  return cwd;
}

const copyRed = repositoryTemplate((cwd) => {
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  writeFileSync(join(cwd, 'a.txt'), 'broken\n');
  writeFileSync(join(cwd, 'b.txt'), 'broken\n');
  writeFileSync(join(cwd, 'test.sh'), TEST);
  writeFileSync(join(cwd, '.gitignore'), '*.ignored\n');
  chmodSync(join(cwd, 'test.sh'), 0o755);
  git('add', '-A');
  git('commit', '-q', '-m', 'a red test');
});

/** Output whose check runs the repository's test. `during` runs first, with the folder of the check. */
export function checkedOutput(
  options: Pick<OutputOptions<unknown>, 'maxCorrections' | 'retry'> = {},
  during: (folder: string) => Promise<void> | void = () => undefined,
): AnyOutputDefinition {
  return Output.object({
    tag: 'result',
    schema: z.object({ done: z.boolean() }),
    ...options,
    async check(_value, { exec, worktreePath }) {
      await during(worktreePath);
      return (await exec(RUN_TEST)).exitCode === 0 ? undefined : 'the tests fail';
    },
  });
}

/** Returns true if a commit passes its test in a clone, which no agent has seen. */
export function isGreen(cwd: string, revision = 'HEAD'): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-green-'));
  const git = (at: string, ...args: readonly string[]): string =>
    execFileSync('git', ['--no-replace-objects', ...args], {
      cwd: at,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  try {
    const sha = git(cwd, 'rev-parse', '--verify', `${revision}^{commit}`);
    git(folder, 'clone', '-q', '--shared', '--no-checkout', cwd, 'clone');
    git(join(folder, 'clone'), 'checkout', '-q', '--detach', sha);
    return spawnSync(RUN_TEST, { cwd: join(folder, 'clone') }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
