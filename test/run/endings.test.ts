import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import {
  answerOutput,
  commitLine,
  isRunning,
  git,
  makeRepository,
  PRINT_ANSWER,
  runOptions,
} from './fixture.ts';

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

const BRANCH = { branchStrategy: { type: 'branch', branch: 'topic' } } as const;

describe('an agent that fails', () => {
  it('reports its exit code and stderr, and loses no commit', async () => {
    const cwd = makeRepository();
    const error = await failureOf(
      run(runOptions(`${commitLine('b.txt')}; echo 'out of luck' >&2; exit 7`, { cwd, ...BRANCH })),
    );
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({
      code: 'exit',
      exitCode: 7,
      branch: 'topic',
      commits: [{ sha: git(cwd, 'rev-parse', 'topic') }],
    });
    expect((error as AgentError).stderrTail).toContain('out of luck');
    expect(existsSync((error as AgentError).preservedWorktreePath ?? '')).toBe(true);
  });

  it('carries the answer that it gave before it exited with 1', async () => {
    const error = await failureOf(run({ ...runOptions(`${PRINT_ANSWER}; exit 1`), output: answerOutput }));
    expect(error).toMatchObject({ code: 'exit', output: { answer: 42 }, provenance: { mode: 'tag' } });
  });

  it('counts as failed when a signal killed it', async () => {
    const error = await failureOf(run(runOptions('kill -9 $$')));
    expect(error).toMatchObject({ code: 'exit', exitCode: 137 });
  });

  it('does not take the process down when it exits before it read a prompt of 4 MB', async () => {
    const error = await failureOf(run(runOptions('exit 3', { prompt: 'x'.repeat(4_000_000) })));
    expect(error).toMatchObject({ code: 'exit', exitCode: 3 });
  });

  it('is ended after too long a silence, and its children with it', async () => {
    const cwd = makeRepository();
    const error = await failureOf(
      run(
        runOptions(`${commitLine('b.txt')}; (sleep 300 & echo $! > ../pid; wait)`, {
          cwd,
          ...BRANCH,
          timeouts: { idleMs: 1_000 },
        }),
      ),
    );
    expect(error).toMatchObject({ code: 'idle-timeout', branch: 'topic' });
    expect((error as AgentError).commits).toHaveLength(1);
    const pid = readFileSync(
      join((error as AgentError).preservedWorktreePath ?? '', '..', 'pid'),
      'utf8',
    ).trim();
    expect(isRunning(pid)).toBe(false);
  });

  it('is not silent while it prints without a newline', async () => {
    const dots = 'for i in 1 2 3 4 5 6 7 8; do printf .; sleep 0.3; done';
    const result = await run({
      ...runOptions(`${dots}; ${PRINT_ANSWER}`, { timeouts: { idleMs: 1_000 } }),
      output: answerOutput,
    });
    expect(result.output.answer).toBe(42);
  });

  it('is killed though it ignores SIGTERM', async () => {
    const error = await failureOf(
      run(runOptions("trap '' TERM; while :; do sleep 1; done", { timeouts: { idleMs: 1_000 } })),
    );
    expect(error).toMatchObject({ code: 'idle-timeout' });
  });
});

describe('an agent that leaves a child with its pipe', () => {
  it('has ended when it exited', async () => {
    const result = await run({ ...runOptions(`${PRINT_ANSWER}; sleep 300 &`), output: answerOutput });
    expect(result.output.answer).toBe(42);
  });
});

describe('a run that is aborted', () => {
  it('rejects with the reason untouched, and keeps the evidence in its last event and beside its log', async () => {
    const cwd = makeRepository();
    const controller = new AbortController();
    const reason = { why: 'changed my mind' };
    const events: RunEvent[] = [];
    const running = run(
      runOptions(`${commitLine('b.txt')}; echo ready; sleep 300`, {
        cwd,
        ...BRANCH,
        signal: controller.signal,
      }),
    );
    const failure = failureOf(running);
    await failureOf(
      (async () => {
        for await (const event of running) {
          events.push(event);
          if (event.type === 'text') controller.abort(reason);
        }
      })(),
    );
    expect(await failure).toBe(reason);
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'run-end',
      error: reason,
      evidence: { branch: 'topic', commits: [{ sha: git(cwd, 'rev-parse', 'topic') }] },
    });
    const logPath = events.find((event) => event.type === 'run-start')?.logFilePath ?? '';
    expect(JSON.parse(readFileSync(`${logPath}.evidence.json`, 'utf8'))).toMatchObject({ branch: 'topic' });
  });
});

describe('a bound of the caller', () => {
  it('ends the whole run in time', async () => {
    const error = await failureOf(
      run(
        runOptions(`${commitLine('b.txt')}; while :; do echo .; sleep 0.5; done`, {
          ...BRANCH,
          // Long enough for the commit on a busy machine.
          timeouts: { runMs: 5_000 },
        }),
      ),
    );
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ code: 'time', branch: 'topic' });
    expect((error as LimitError).commits).toHaveLength(1);
  });

  it('ends a run that used its tokens', async () => {
    const usage = {
      inputTokens: 900,
      outputTokens: 200,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
    };
    const agent = command({
      command: ['sh', '-c', 'echo go; sleep 300'],
      parse: (line) => (line === 'go' ? { type: 'usage', usage } : undefined),
    });
    const error = await failureOf(run(runOptions('', { agent, budget: { tokens: 1_000 } })));
    expect(error).toMatchObject({ code: 'tokens', usage });
  });

  it('computes the cost if the agent reports none', async () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 0,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
    };
    const agent = command({
      command: ['sh', '-c', 'echo go'],
      parse: (line) => (line === 'go' ? { type: 'usage', usage } : undefined),
    });
    const result = await run(
      runOptions('', {
        agent,

        budget: { usd: 5, prices: { inputUsdPerMillion: 3, outputUsdPerMillion: 15 } },
      }),
    );
    expect(result.usage).toEqual({ ...usage, costUsd: 3 });
  });

  it('is logged without the error of a binary fraction', async () => {
    const usage = {
      inputTokens: 7,
      outputTokens: 2,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      costUsd: 0.096_424_999_999_999_98,
    };
    const agent = command({
      command: ['sh', '-c', 'echo go'],
      parse: (line) => (line === 'go' ? { type: 'usage', usage } : undefined),
    });
    const { logFilePath = '' } = await run(runOptions('', { agent, logging: { type: 'file' } }));
    expect(readFileSync(logFilePath, 'utf8')).toContain('Usage: 7 in, 2 out, $0.096425\n');
  });
});

describe('the completion signal', () => {
  const SIGNAL = '<promise>COMPLETE</promise>';

  it('ends the iterations', async () => {
    const agent = scriptedAgent({
      steps: ({ callIndex }) => [step.print(callIndex === 1 ? `done ${SIGNAL}` : 'still at it')],
    });
    const result = await run(runOptions('', { agent, maxIterations: 5 }));
    expect(result.iterations).toHaveLength(2);
    expect(result.completionSignal).toBe(SIGNAL);
    expect(result.warnings).toEqual([]);
  });

  it('is optional: all iterations run without it', async () => {
    const result = await run(runOptions('echo more', { maxIterations: 3 }));
    expect(result.iterations).toHaveLength(3);
    expect(result.completionSignal).toBeUndefined();
    expect(result.stdout).toBe('more\nmore\nmore\n');
    expect(result.warnings.join()).toContain('All 3 iterations are used up');
  });

  it('comes after warnings that a CLI repeats, which are listed once', async () => {
    const agent = command({
      command: ['echo', 'The model has no metadata.'],
      parse: (message) => ({ type: 'warning', message }),
    });
    const { warnings } = await run(runOptions('', { agent, maxIterations: 2 }));
    expect(warnings.filter((each) => each.includes('metadata'))).toHaveLength(1);
  });

  it('ends a process that hangs after it, with a warning', async () => {
    const result = await run({
      ...runOptions(`${PRINT_ANSWER}; echo '${SIGNAL}'; sleep 300`, { timeouts: { completionMs: 1_000 } }),
      output: answerOutput,
    });
    expect(result.output.answer).toBe(42);
    expect(result.warnings.join()).toContain('did not exit');
  });

  it('does not make a success of a run without a valid answer', async () => {
    const error = await failureOf(
      run({
        ...runOptions(`echo '${SIGNAL}'; sleep 300`, { timeouts: { completionMs: 1_000 } }),
        output: answerOutput,
      }),
    );
    expect(error).toMatchObject({ code: 'tag-not-found' });
  });

  it('in a plan of a plain-text agent does not end its work', async () => {
    const plan = `I will say ${SIGNAL} at the end.`;
    const cwd = makeRepository();
    const script = `echo '${plan}'; sleep 1; ${commitLine('b.txt')}`;
    const result = await run(runOptions(script, { cwd, ...BRANCH, timeouts: { completionMs: 200 } }));
    expect(result.commits).toHaveLength(1);
    expect(result.warnings).toEqual([]);
    const loop = await run(runOptions(`echo '${plan}'`, { maxIterations: 3 }));
    expect(loop.iterations).toHaveLength(3);
    expect(loop.completionSignal).toBeUndefined();
  });

  it('reports which of several was said', async () => {
    const result = await run(runOptions('echo GIVE UP', { completionSignal: ['DONE', 'GIVE UP'] }));
    expect(result.completionSignal).toBe('GIVE UP');
  });
});
