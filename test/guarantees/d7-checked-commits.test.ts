/** Tests of D7: an agent that commits half of its fix, so that its worktree passes and its commit fails. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { TreeCheck } from '../../packages/truecast/src/git/command/tree-check.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';

const FIX = 'echo fixed > a.txt; echo fixed > b.txt';
const ANSWER = `echo '<result>{"answer":1}</result>'`;
/** The worktree passes in each case. */
const AGENTS = {
  half: `${FIX}; git add a.txt && git commit -qm half; ${ANSWER}`,
  stubbed: `echo 'exit 0' > test.sh; git update-index --assume-unchanged test.sh; echo fixed > a.txt; git commit -qm half a.txt; ${ANSWER}`,
} as const;
const WHOLE = `${FIX}; git add -A && git commit -qm whole; ${ANSWER}`;

function makeProject(): string {
  const repository = makeRepository();
  writeFileSync(join(repository, 'b.txt'), 'one\n');
  writeFileSync(join(repository, 'test.sh'), 'grep -q fixed a.txt && grep -q fixed b.txt\n');
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', 'test');
  return repository;
}

const output = Output.object({
  tag: 'result',
  schema: z.object({ answer: z.number() }),
  maxCorrections: 0,
  check: async (_value, { exec }) =>
    (await exec('sh test.sh')).exitCode === 0 ? undefined : 'the tests fail',
});

/** Returns true if the tests pass on a clean checkout of the commit. */
function passes(repository: string, commit: string): boolean {
  const folder = join(temporaryFolder(), 'clean');
  git(repository, 'worktree', 'add', '-q', '--detach', folder, commit);
  try {
    execFileSync('sh', ['test.sh'], { cwd: folder, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    git(repository, 'worktree', 'remove', '--force', folder);
  }
}

async function landOnlyChecked(route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept'): Promise<void> {
  for (const [agent, script] of Object.entries(AGENTS)) {
    const repository = makeProject();
    const base = git(repository, 'rev-parse', 'main');
    const outcome = await AGENT_ROUTES[route]({
      repository,
      script,
      strategy: 'merge-to-head',
      options: { output },
    });
    expect(git(repository, 'rev-parse', 'main'), agent).toBe(base);
    expect(outcome.isAccepted, agent).toBe(false);
  }
  const repository = makeProject();
  const outcome = await AGENT_ROUTES[route]({
    repository,
    script: WHOLE,
    strategy: 'merge-to-head',
    options: { output },
  });
  expect(outcome.isAccepted, outcome.message).toBe(true);
  expect(passes(repository, 'main')).toBe(true);
}

async function returnOnlyChecked(): Promise<void> {
  for (const [agent, script] of Object.entries(AGENTS)) {
    const repository = makeProject();
    const outcome = await AGENT_ROUTES.batch({ repository, script, options: { output } });
    expect(outcome.isAccepted, agent).toBe(false);
  }
  const repository = makeProject();
  const outcome = await AGENT_ROUTES.batch({ repository, script: WHOLE, options: { output } });
  expect(outcome.isAccepted, outcome.message).toBe(true);
  expect(passes(repository, outcome.commits.at(-1) ?? '')).toBe(true);
}

const comparisonSchema = z.object({
  rows: z.array(z.object({ right: z.object({ successes: z.number() }) })).min(1),
});

async function compareOnlyChecked(): Promise<void> {
  const counts = [AGENTS.half, WHOLE].map(async (script) => {
    const repository = makeProject();
    writeFileSync(join(repository, 'items.jsonl'), '{"N":1}\n');
    const schema = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';
    const args = [
      'compare',
      'Work on {{N}}. Answer in <result>.',
      '--inputs',
      'items.jsonl',
      '--schema',
      schema,
      '--agent',
      `command:${script}`,
    ];
    const more = [
      '--sandbox',
      'none',
      '--repeat',
      '1',
      '--check',
      'sh test.sh',
      '--max-corrections',
      '0',
      '--json',
      '--quiet',
      '--out',
      'result',
    ];
    const { value } = await runCommand({ cwd: repository, args: [...args, ...more] });
    return comparisonSchema.parse(JSON.parse(String(value))).rows[0]?.right.successes;
  });
  expect(await Promise.all(counts)).toEqual([0, 1]);
}

const runTests: TreeCheck = async ({ exec }) =>
  (await exec('sh test.sh')).exitCode === 0 ? undefined : 'the tests fail';

/** Each of two branches passes alone. Their merge fails: the file that one adds needs what the other removes. */
async function landOnlyCheckedMerges(): Promise<void> {
  const repository = makeProject();
  const scripts = {
    fix: 'echo fixed > a.txt; echo fixed > b.txt; git commit -qam fix',
    strict: `echo '! grep -q fixed a.txt' > strict.sh; echo 'sh strict.sh' > test.sh; git add -A; git commit -qm strict`,
  };
  for (const [branch, script] of Object.entries(scripts)) {
    const branchStrategy = { type: 'branch', branch } as const;
    await AGENT_ROUTES['run/none']({ repository, script, options: { branchStrategy } });
    expect(passes(repository, branch), branch).toBe(true);
  }
  const { merged, kept } = await merge(Object.keys(scripts), {
    cwd: repository,
    sandbox: noSandbox(),
    check: runTests,
  });
  expect(merged).toMatchObject([{ branch: 'fix', sha: git(repository, 'rev-parse', 'main') }]);
  expect(kept).toMatchObject([{ branch: 'strict', error: { code: 'check-failed' } }]);
  expect(passes(repository, 'main')).toBe(true);
}

declareGuarantee('D7', {
  'run/none': () => landOnlyChecked('run/none'),
  'run/bubblewrap': () => landOnlyChecked('run/bubblewrap'),
  'run/podman': () => landOnlyChecked('run/podman'),
  kept: () => landOnlyChecked('kept'),
  batch: returnOnlyChecked,
  merge: landOnlyCheckedMerges,
  command: compareOnlyChecked,
});
