/** Filters in the repository's configuration, which an agent without a sandbox can change before its check. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EvidenceError } from '../../../packages/core/src/errors/base/run-evidence.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { checkedOutput, checkedRepository, WORK } from '../checked-repository.ts';
import { git, runOptions, temporaryFolder } from '../fixture.ts';

interface Ended {
  readonly cwd: string;
  readonly code: string | undefined;
  /** Lines that the agent's program wrote. */
  readonly runs: string;
}

/** Lets an agent leave both fixes out of its commit, and a program that would write them at a checkout. */
async function land(
  configure: (program: string) => string,
  keys: Record<string, string> = {},
): Promise<Ended> {
  const cwd = checkedRepository(temporaryFolder());
  for (const [key, value] of Object.entries(keys)) git(cwd, 'config', `filter.own.${key}`, value);
  const folder = temporaryFolder();
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\necho ran >> ${folder}/runs\ncat > ${folder}/input\necho fixed\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'runs'), '');
  const commit = `echo red > a.txt; echo red > b.txt; echo '[ab].txt filter=own' > .gitattributes; ${WORK.commitAll}`;
  const script = `${commit}; ${WORK.fixBoth}; ${configure(program)}; ${WORK.answer}`;
  const code = await run({
    ...runOptions(script, { cwd }),
    branchStrategy: { type: 'merge-to-head' },
    output: checkedOutput({ maxCorrections: 0 }),
  }).then(
    () => undefined,
    (error: unknown) => (EvidenceError.isInstance(error) ? error.code : String(error)),
  );
  return { cwd, code, runs: readFileSync(join(folder, 'runs'), 'utf8') };
}

it.each([
  ['adds', 'smudge', {}],
  ['adds', 'process', {}],
  ['replaces', 'smudge', { clean: 'cat', smudge: 'cat' }],
  ['adds a process to', 'process', { clean: 'cat', smudge: 'cat' }],
])('no clean checkout runs a filter that the agent %s (%s)', async (_what, key, keys) => {
  const { cwd, code, runs } = await land((program) => `git config filter.own.${key} ${program}`, keys);
  expect({ code, runs }).toEqual({ code: 'check-failed', runs: '' });
  expect(git(cwd, 'log', '--format=%s', 'main')).toBe('a red test');
});

it("a clean checkout runs the user's own filter", async () => {
  const cwd = checkedRepository(temporaryFolder());
  git(cwd, 'config', 'filter.own.clean', 'tr a-z b-za');
  git(cwd, 'config', 'filter.own.smudge', 'tr b-za a-z');
  writeFileSync(join(cwd, '.gitattributes'), '[ab].txt filter=own\n');
  git(cwd, 'add', '.gitattributes');
  git(cwd, 'add', '--renormalize', '.');
  git(cwd, 'commit', '-q', '-m', 'filter');
  const result = await run({
    ...runOptions(`${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`, { cwd }),
    branchStrategy: { type: 'merge-to-head' },
    output: checkedOutput({ maxCorrections: 0 }),
  });
  expect(result.provenance?.check?.verdict).toBe('passed');
  expect(git(cwd, 'show', 'main:a.txt')).toBe('gjyfe');
});
