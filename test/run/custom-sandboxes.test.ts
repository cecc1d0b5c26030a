/** Tests of agents in custom sandboxes that support no abort signal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { interactive } from '../../packages/truecast/src/run/interactive.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import { matrixRow } from '../matrix.ts';
import { customBindMount, customCalls, customIsolated } from './custom-sandbox.ts';
import type { IsolatedSandboxHandle } from '../../packages/truecast/src/sandboxes/isolated/isolated-handle.ts';
import type { OwnGitHandle } from '../../packages/truecast/src/ports/own-git.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import {
  commitLine,
  git,
  PRINT_ANSWER,
  isRunning,
  makeRepository,
  runOptions,
  temporaryFolder,
} from './fixture.ts';

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

async function firstText(running: AsyncIterable<RunEvent>): Promise<void> {
  for await (const event of running) if (event.type === 'text') return;
}

/** Killed processes disappear when the kernel has reaped them. */
async function expectDead(pidFile: string): Promise<void> {
  await expect.poll(() => isRunning(readFileSync(pidFile, 'utf8').trim())).toBe(false);
}

const KINDS = [
  ['bind-mount', customBindMount],
  ['isolated', customIsolated],
] as const;

/** An agent that commits, reports it, and then runs longer than any of these tests waits. */
function busyAgent(pidFile: string, last = ''): string {
  return `${commitLine('b.txt')}; echo $$ > '${pidFile}'; echo working; ${last} sleep 30; ${commitLine('c.txt')}`;
}

// The short form tries each case in one of the two kinds.
describe.each(KINDS)('a custom %s sandbox', (kind, custom) => {
  const test = matrixRow(kind === 'isolated' ? 1 : 0, { rows: KINDS.length });

  test('rejects with the reason of an abort, merges nothing, and ends the agent', async () => {
    const cwd = makeRepository();
    const before = git(cwd, 'rev-parse', 'main');
    const pidFile = join(temporaryFolder(), 'pid');
    const controller = new AbortController();
    const reason = new RangeError('enough');
    const running = run(
      runOptions(busyAgent(pidFile), {
        cwd,
        sandbox: custom(),
        branchStrategy: { type: 'merge-to-head' },
        signal: controller.signal,
      }),
    );
    const failing = failureOf(running);
    await firstText(running);
    controller.abort(reason);
    expect(await failing).toBe(reason);
    expect(git(cwd, 'rev-parse', 'main')).toBe(before);
    await expectDead(pidFile);
  });

  for (const [what, bound, expected] of [
    ['a silence', { timeouts: { idleMs: 4_000 } }, { name: 'AgentError', code: 'idle-timeout' }],
    ['the whole run', { timeouts: { runMs: 5_000 } }, { name: 'LimitError', code: 'time' }],
  ] as const) {
    test(`ends an agent at the bound on ${what}, and keeps its commit`, async () => {
      const cwd = makeRepository();
      const pidFile = join(temporaryFolder(), 'pid');
      const error = await failureOf(
        run(
          runOptions(busyAgent(pidFile), {
            cwd,
            sandbox: custom(),
            branchStrategy: { type: 'branch', branch: 'topic' },
            ...bound,
          }),
        ),
      );
      expect(error).toMatchObject({ ...expected, commits: [{ sha: git(cwd, 'rev-parse', 'topic') }] });
      await expectDead(pidFile);
    });
  }

  test('ends an agent that hangs after its completion signal', async () => {
    const cwd = makeRepository();
    const pidFile = join(temporaryFolder(), 'pid');
    const { commits, completionSignal } = await run(
      runOptions(busyAgent(pidFile, "echo '<promise>COMPLETE</promise>';"), {
        cwd,
        sandbox: custom(),
        branchStrategy: { type: 'branch', branch: 'topic' },
        timeouts: { completionMs: 1_000 },
      }),
    );
    expect(completionSignal).toBe('<promise>COMPLETE</promise>');
    expect(commits).toHaveLength(1);
    await expectDead(pidFile);
  });

  test('ends an agent that spends more than the budget', async () => {
    const usage = {
      inputTokens: 900,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      outputTokens: 200,
    };
    const agent: AgentProvider = {
      ...command({ command: ['sh', '-c', 'echo spend; sleep 8'] }),
      createStreamParser: () => ({ push: () => [{ type: 'usage' as const, usage }], end: () => [] }),
    };
    const options = runOptions('', { agent, sandbox: custom(), budget: { tokens: 1000 } });
    expect(await failureOf(run(options))).toMatchObject({ name: 'LimitError', code: 'tokens' });
  });

  test('reports each line as it is printed, and passes every environment', async () => {
    const heard = join(temporaryFolder(), 'heard');
    const names = '$FROM_PROVIDER $FROM_RUN $FROM_AGENT';
    // The agent continues only when its first line was reported.
    const script = `echo first; until [ -e '${heard}' ]; do sleep 0.02; done; echo "${names}"`;
    const agent = { ...command({ command: ['sh', '-c', script] }), env: { FROM_AGENT: 'agent' } };
    const running = run(runOptions('', { env: { FROM_RUN: 'run' }, agent, sandbox: custom() }));
    await firstText(running);
    writeFileSync(heard, '');
    expect((await running).stdout).toBe('first\nprovider run agent\n');
  });

  test('gives every command the worktree as its directory', async () => {
    const calls = customCalls();
    const seen = await run(runOptions('pwd', { sandbox: custom(calls), prompt: 'In !`pwd`.' }));
    expect(seen.stdout.trim()).not.toBe(process.cwd());
    expect(calls.directories.filter((path) => path === undefined)).toEqual([]);
  });
});

/** A custom sandbox in which some promises never settle. */
function hanging(
  members: Partial<OwnGitHandle & IsolatedSandboxHandle>,
  custom = customBindMount,
): SandboxProvider {
  const provider = custom();
  return {
    ...provider,
    create: async (options: never) => Object.assign(await provider.create(options), members),
  };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('a custom sandbox that never answers', () => {
  it('leaves a run with its answer and a warning when it does not close', async () => {
    const cwd = makeRepository();
    const result = await run(
      runOptions(`${commitLine('b.txt')}; ${PRINT_ANSWER}`, {
        cwd,
        sandbox: hanging({ close: never }),
        timeouts: { sandboxCloseMs: 10 },
      }),
    );
    expect(result.commits).toHaveLength(1);
    expect(result.warnings).toEqual([
      expect.stringContaining('The sandbox `custom` did not close within 10 ms'),
    ]);
  });

  it('rejects an aborted run with its reason when it neither hands over nor closes', async () => {
    const controller = new AbortController();
    const reason = new RangeError('enough');
    let syncs = 0;
    const handOver = (): Promise<never> => {
      syncs += 1;
      return never();
    };
    const running = run(
      runOptions('echo working; sleep 8', {
        sandbox: hanging({ close: never, handOver }, customIsolated),
        signal: controller.signal,
        timeouts: { sandboxCloseMs: 10, abortedHandOverMs: 10 },
      }),
    );
    const warnings: string[] = [];
    const following = async (): Promise<void> => {
      for await (const event of running) {
        if (event.type === 'text') controller.abort(reason);
        if (event.type === 'warning') warnings.push(event.message);
      }
    };
    expect(await Promise.all([failureOf(running), failureOf(following())])).toEqual([reason, reason]);
    expect(syncs).toBe(1);
    expect(warnings).toEqual([
      expect.stringContaining('did not close within 10 ms'),
      expect.stringContaining('did not transfer its work within 10 ms after the abort'),
    ]);
  });
});

describe('a session in a custom sandbox', () => {
  const shell = (script: string): AgentProvider => ({
    ...command({ command: 'true', name: 'shell' }),
    buildInteractiveArgs: () => ['sh', '-c', script],
  });

  it('works in the worktree', async () => {
    const cwd = makeRepository();
    const before = git(process.cwd(), 'rev-parse', 'HEAD');
    const { commits } = await interactive({
      agent: shell(commitLine('b.txt')),
      sandbox: customBindMount(),
      branchStrategy: { type: 'head' },
      cwd,
    });
    expect(commits).toEqual([{ sha: git(cwd, 'rev-parse', 'HEAD') }]);
    expect(git(process.cwd(), 'rev-parse', 'HEAD')).toBe(before);
  });

  it('is over when it is aborted, and merges nothing', async () => {
    const cwd = makeRepository();
    const before = git(cwd, 'rev-parse', 'main');
    const controller = new AbortController();
    const ready = join(temporaryFolder(), 'ready');
    const calls = customCalls();
    const session = interactive({
      agent: shell(`${commitLine('b.txt')}; touch '${ready}'; sleep 8`),
      sandbox: customBindMount(calls),
      cwd,
      branchStrategy: { type: 'merge-to-head' },
      signal: controller.signal,
    });
    const failing = failureOf(session);
    await expect.poll(() => readFileSync(ready, 'utf8'), { timeout: 10_000 }).toBe('');
    const reason = new RangeError('enough');
    controller.abort(reason);
    expect(await failing).toBe(reason);
    expect(calls.closed).toBeGreaterThan(0);
    expect(git(cwd, 'rev-parse', 'main')).toBe(before);
  });
});

describe('a kept custom sandbox', () => {
  it('is closed when one of its runs is aborted, since nothing else ends the agent', async () => {
    const cwd = makeRepository();
    const pidFile = join(temporaryFolder(), 'pid');
    const calls = customCalls();
    const sandbox = await createSandbox({ cwd, sandbox: customBindMount(calls), branch: 'topic' });
    const controller = new AbortController();
    const { agent, prompt } = runOptions(busyAgent(pidFile), { cwd });
    const running = sandbox.run({ agent, prompt: prompt ?? '', signal: controller.signal });
    const failing = failureOf(running);
    await firstText(running);
    controller.abort();
    await failing;
    expect(calls.closed).toBe(1);
    await expectDead(pidFile);
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'exec' });
    await sandbox.close();
  });
});
