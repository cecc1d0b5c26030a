/** Tests of D9: an agent that only reads, but writes in each form that git has. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import {
  answerOutput,
  commitLine,
  git,
  makeRepository,
  PRINT_ANSWER,
  temporaryFolder,
} from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { runCommand } from './routes/command.ts';
import { runAsJob } from './routes/job-route.ts';

const WORK = `echo changed > a.txt; ${commitLine('work.txt')}; git checkout -q -b other; ${commitLine('more.txt')}; git checkout -q --detach; git commit -q --allow-empty -m loose; echo left > left.txt`;
const SCRIPTS = { answered: `${WORK}; ${PRINT_ANSWER}`, failed: `${WORK}; exit 3` };

const agentOf = (script: string): ReturnType<typeof command> => command({ command: ['sh', '-c', script] });

/** A repository, and a folder outside of any. */
function makePlaces(): readonly string[] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  return [makeRepository(), folder];
}

function stateOf(place: string): object {
  const worktrees = join(place, '.truecast', 'worktrees');
  const files = {
    names: readdirSync(place).filter((name) => name !== '.truecast'),
    text: readFileSync(join(place, 'a.txt'), 'utf8'),
    worktrees: existsSync(worktrees) ? readdirSync(worktrees).filter((name) => name !== '.gitignore') : [],
  };
  if (!existsSync(join(place, '.git'))) return files;
  return {
    ...files,
    references: git(place, 'for-each-ref'),
    listed: git(place, 'worktree', 'list').split('\n').length,
    status: git(place, 'status', '--porcelain'),
  };
}

/** Plays both scripts in both places, and compares what is there before and after. */
async function throwAway(
  play: (cwd: string, script: string) => Promise<unknown>,
  places: readonly string[] = makePlaces(),
): Promise<void> {
  for (const cwd of places) {
    const before = stateOf(cwd);
    for (const [ending, script] of Object.entries(SCRIPTS)) {
      const isAnswered = await play(cwd, script).then(
        (value) => value !== false,
        () => false,
      );
      expect(isAnswered, ending).toBe(ending === 'answered');
      expect(stateOf(cwd), `${ending} in ${cwd}`).toEqual(before);
    }
  }
}

const READ = { readOnly: true, logging: { type: 'file' }, output: answerOutput } as const;

function runIn(sandbox: SandboxProvider): Promise<void> {
  return throwAway((cwd, script) =>
    run({ ...READ, cwd, sandbox, agent: agentOf(script), prompt: 'Answer in <result>.' }),
  );
}

async function readInBatch(cwd: string, script: string): Promise<boolean> {
  const results: BatchResult[] = [];
  await runBatch({
    ...READ,
    cwd,
    sandbox: noSandbox(),
    agent: agentOf(script),
    prompt: 'Answer {{N}} in <result>.',
    inputs: [{ N: 1 }],
    onResult: (result) => void results.push(result),
  });
  return results[0]?.status === 'ok';
}

async function readInSandbox(cwd: string, script: string): Promise<void> {
  await using sandbox = await createSandbox({ readOnly: true, cwd, sandbox: noSandbox() });
  await sandbox.exec('echo x > from-command.txt');
  await sandbox.run({ agent: agentOf(script), prompt: 'Answer in <result>.', output: answerOutput });
}

async function readByCommand(cwd: string, script: string): Promise<boolean> {
  const agent = join(temporaryFolder(), 'agent.sh');
  writeFileSync(agent, script);
  const args = ['run', 'Answer.', '--read-only', '--agent', `command:sh ${agent}`, '--sandbox', 'none'];
  const { isAccepted } = await runCommand({ cwd, args, env: { HOME: temporaryFolder() } });
  return isAccepted;
}

/** The repository of a server is one in git. */
async function readAsJob(): Promise<void> {
  for (const [name, script] of Object.entries(SCRIPTS)) {
    const repository = makeRepository();
    const before = stateOf(repository);
    const outcome = await runAsJob({ repository, script, readOnly: true });
    expect(outcome.isAccepted).toBe(name === 'answered');
    expect([outcome.commits, outcome.branch]).toEqual([[], undefined]);
    expect(stateOf(repository)).toEqual(before);
  }
}

declareGuarantee('D9', {
  'run/none': () => runIn(noSandbox()),
  'run/bubblewrap': () => runIn(bubblewrap({ egress: 'none' })),
  'run/podman': () => runIn(podman({ imageName: TEST_IMAGE, egress: 'none' })),
  kept: () => throwAway(readInSandbox),
  batch: () => throwAway(readInBatch),
  runs: inBubblewrap(readAsJob),
  command: () => throwAway(readByCommand),
});
