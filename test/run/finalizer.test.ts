/**
 * Tests of `run()` with `mode: "mcp"` and an agent that needs no model, with real processes, sockets
 * and git.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import type {
  OutputObjectDefinition,
  OutputOptions,
} from '../../packages/core/src/output/definition/definition.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository } from './fixture.ts';
import { bridgedAgent, submit, submittingAgent, type SubmittingStep } from './submitting-agent.ts';

interface Answer {
  readonly answer: number;
}

function output(options: OutputOptions<Answer> = {}): OutputObjectDefinition<Answer> {
  return Output.object({ mode: 'mcp', schema: z.object({ answer: z.number() }), ...options });
}

function optionsFor(...turns: readonly (readonly SubmittingStep[])[]): Omit<RunOptions, 'output'> & {
  readonly agent: ReturnType<typeof submittingAgent>;
} {
  const sandbox = noSandbox();
  return {
    agent: submittingAgent(...turns),
    sandbox,
    branchStrategy: { type: 'head' },
    cwd: makeRepository(),
    prompt: 'Count.',
    timeouts: { idleMs: 60_000 },
  };
}

async function failureOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => expect.unreachable('the run succeeded'),
    (error: unknown) => error,
  );
}

describe('a run whose answer is handed in by the tool', () => {
  it('gives the accepted value, with every rejected one before it', async () => {
    const agent = bridgedAgent([submit({ answer: '1' }), submit({ answer: 1 })]);
    const result = await run({ ...optionsFor(), agent, output: output() });

    expect(result.output).toEqual({ answer: 1 });
    expect(result.provenance).toMatchObject({
      mode: 'mcp',
      raw: '{"answer":1}',
      attempts: [{ code: 'schema-mismatch' }, { code: 'ok' }],
      agent: 'submitting',
    });
    expect(result.stdout).toContain('- answer: Invalid input');
  });

  it('adds one sentence to the prompt, unless the prompt names the tool', async () => {
    const plain = optionsFor([submit({ answer: 1 })]);
    await run({ ...plain, output: output() });
    expect(plain.agent.prompts).toEqual([
      'Count.\n\nWhen all is done, hand in your answer by calling the tool `submit_structured_output`.',
    ]);
    const named = { ...optionsFor([submit({ answer: 1 })]), prompt: 'Call submit_structured_output.' };
    await run({ ...named, output: output() });
    expect(named.agent.prompts).toEqual(['Call submit_structured_output.']);
  });

  it('runs the caller’s check within the turn, and returns its message', async () => {
    const options = optionsFor([submit({ answer: 1 }), submit({ answer: 2 })]);
    const seen: number[] = [];
    const checked = output({
      async check({ answer }, { exec, worktreePath }) {
        seen.push(answer);
        const { stdout } = await exec('pwd');
        return answer === 2 && stdout.trim() === worktreePath ? undefined : 'It is one more';
      },
    });
    const result = await run({ ...options, output: checked });

    expect(result.output).toEqual({ answer: 2 });
    expect(result.stdout).toContain('It is one more');
    expect(seen).toEqual([1, 2]);
    expect(result.iterations).toHaveLength(1);
  });

  it('does not take the time of a check for the agent’s silence', async () => {
    const options = optionsFor([submit({ answer: 1 })]);
    const slow = output({
      async check() {
        await new Promise((resolve) => {
          setTimeout(resolve, 7_000);
        });
        return undefined;
      },
    });
    const result = await run({ ...options, timeouts: { idleMs: 5_000 }, output: slow });
    expect(result.output).toEqual({ answer: 1 });
  });

  it('ends with what the check threw, and does not ask again', async () => {
    const options = optionsFor([submit({ answer: 1 }), submit({ answer: 1 })]);
    const cause = new RangeError('no database');
    const broken = output({
      retry: 'fresh',
      maxCorrections: 3,
      check() {
        throw cause;
      },
    });
    const failure = await failureOf(run({ ...options, output: broken }));

    expect(failure).toMatchObject({ code: 'validator-error', cause });
    expect(options.agent.prompts).toHaveLength(1);
  });

  it('asks again when nothing was handed in, and counts both tries', async () => {
    const options = optionsFor([], [submit({ answer: 1 })]);
    const result = await run({ ...options, output: output({ maxCorrections: 1, retry: 'fresh' }) });

    expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['not-produced', 'ok']);
    expect(options.agent.prompts[1]).toContain('Call the tool `submit_structured_output` now');
  });

  it('reports that the agent never listed the tool', async () => {
    const failure = await failureOf(run({ ...optionsFor([]), output: output() }));

    if (!StructuredOutputError.isInstance(failure)) throw failure;
    expect(failure).toMatchObject({ code: 'not-produced', attempts: [{ code: 'not-produced' }] });
    expect(failure.message).toContain('never listed the tool');
  });

  it('takes no further answer after five that were rejected, and a retry may hand in again', async () => {
    const wrong = Array.from({ length: 6 }, () => submit({}));
    const options = optionsFor(wrong, [submit({ answer: 1 })]);
    const result = await run({ ...options, output: output({ maxCorrections: 1, retry: 'fresh' }) });

    expect(result.stdout).toContain('Refused: no further answer is taken.');
    expect(result.provenance.attempts.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 5 }, () => 'schema-mismatch'),
      'ok',
    ]);
  });

  it('succeeds when the agent hangs after its answer was accepted', async () => {
    const options = optionsFor([submit({ answer: 1 }), { type: 'hang' }]);
    const result = await run({ ...options, timeouts: { completionMs: 500 }, output: output() });

    expect(result.output).toEqual({ answer: 1 });
    expect(result.warnings).toEqual(['The agent submitted its answer but did not exit, so it was stopped.']);
  });

  it('fails when the agent fails after its answer was accepted, and the error holds the answer', async () => {
    const options = optionsFor([submit({ answer: 1 }), { type: 'exit', exitCode: 3 }]);
    const failure = await failureOf(run({ ...options, output: output() }));

    if (!AgentError.isInstance(failure)) throw failure;
    expect(failure).toMatchObject({
      code: 'exit',
      exitCode: 3,
      output: { answer: 1 },
      provenance: { mode: 'mcp' },
    });
  });

  it('holds answers to their size, and keeps the digits of their numbers', async () => {
    const large = {
      type: 'submit',
      argumentsText: `{"output":{"answer":1,"more":"${'x'.repeat(200)}"}}`,
    } as const;
    const inexact = { type: 'submit', argumentsText: '{"output":{"answer":12345678901234567890}}' } as const;
    const exact = { type: 'submit', argumentsText: '{"output":{"answer":1.50}}' } as const;
    const result = await run({
      ...optionsFor([large, inexact, exact]),
      output: output({ maxPayloadBytes: 100 }),
    });

    const { attempts, raw } = result.provenance;
    expect(attempts.map(({ code }) => code)).toEqual(['too-large', 'schema-mismatch', 'ok']);
    expect(raw).toBe('{"answer":1.50}');
  });

  it('leaves no socket and no folder behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tc-'));
    const options = [optionsFor([submit({ answer: 1 })]), optionsFor([])] as const;
    vi.stubEnv('TMPDIR', folder);
    try {
      await run({ ...options[0], output: output() });
      await failureOf(run({ ...options[1], output: output() }));
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });

  it('rejects with the reason of an abort while an answer is being checked', async () => {
    const abort = new AbortController();
    const reason = new RangeError('enough');
    const slow = output({
      check: (_value, { signal }) => {
        abort.abort(reason);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(reason), { once: true });
          if (signal.aborted) reject(reason);
        });
      },
    });
    const options = optionsFor([submit({ answer: 1 }), { type: 'hang' }]);
    expect(await failureOf(run({ ...options, signal: abort.signal, output: slow }))).toBe(reason);
  });
});

describe('what cannot be handed in by the tool', () => {
  it('is refused before anything is created', async () => {
    const options = optionsFor([submit({ answer: 1 })]);
    const { canUseMcp: _canUseMcp, ...agent } = options.agent;
    const refused = await failureOf(run({ ...options, agent, output: output() }));
    expect(refused).toMatchObject({ name: 'UsageError', message: expect.stringContaining("`mode: 'mcp'`") });

    const schema = z.object({ at: z.date() });
    const inexpressible = await failureOf(
      run({ ...options, output: Output.object({ mode: 'mcp', schema }) }),
    );
    expect(inexpressible).toMatchObject({ name: 'UsageError', code: 'unsupported' });
    expect(options.agent.prompts).toEqual([]);
    expect(git(options.cwd ?? '', 'status', '--porcelain')).toBe('');
  });

  it('is the choice for an agent that has no schema mode and can be given the tool', async () => {
    const options = optionsFor([submit({ answer: 1 })]);
    const result = await run({
      ...options,
      output: Output.object({ schema: z.object({ answer: z.number() }) }),
    });
    expect(result.provenance.mode).toBe('mcp');
  });
});

describeInBubblewrap('the tool in bubblewrap', () => {
  it.each(['none', 'host', { allow: ['example.invalid'] }] as const)(
    'reaches the run with egress %j',
    async (egress) => {
      const result = await run({
        ...optionsFor(),
        agent: bridgedAgent([submit({ answer: '1' }), submit({ answer: 1 })]),
        sandbox: bubblewrap({ egress }),
        branchStrategy: { type: 'merge-to-head' },
        output: output(),
      });
      expect(result.output).toEqual({ answer: 1 });
      expect(result.provenance.attempts).toHaveLength(2);
    },
  );

  it('serves the runs of a kept sandbox, each its own, also at once', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({
      branch: 'kept',
      sandbox: bubblewrap({ egress: 'none' }),
      cwd,
    });
    const ask = (answer: number): Promise<Answer> =>
      sandbox
        .run({
          agent: submittingAgent([submit({ answer: 'x' }), submit({ answer })]),
          prompt: 'Count.',
          output: output(),
        })
        .then((result) => result.output);

    expect(await ask(1)).toEqual({ answer: 1 });
    expect(await Promise.all([ask(2), ask(3)])).toEqual([{ answer: 2 }, { answer: 3 }]);
  });

  it('cannot be put out of place from inside', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({
      branch: 'kept',
      sandbox: bubblewrap({ egress: 'none' }),
      cwd,
    });
    const { stderr, exitCode } = await sandbox.exec('echo evil > /run/truecast/finalizer/bridge.mjs');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('Read-only');
  });
});
