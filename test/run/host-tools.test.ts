/**
 * Tests of `run({ tools })` with an agent that needs no model: it calls functions of this process from
 * its sandbox, with real processes, sockets and git.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository } from './fixture.ts';
import { bridgedAgent, call, submit, submittingAgent, type SubmittingStep } from './submitting-agent.ts';

const SECRET = 'correct-horse-battery-staple-9';

/** Tickets of a program that no sandbox can open. */
function ticketTools(): { readonly seen: number[]; readonly tools: NonNullable<RunOptions['tools']> } {
  const seen: number[] = [];
  return {
    seen,
    tools: {
      ticket: {
        description: 'Returns a ticket by its id.',
        inputSchema: z.object({ id: z.int() }),
        execute: ({ id }: { readonly id: number }) => {
          seen.push(id);
          return { id, title: 'Login fails', token: SECRET };
        },
      },
    },
  };
}

function optionsFor(...turns: readonly (readonly SubmittingStep[])[]): Omit<RunOptions, 'output' | 'tools'> {
  return {
    agent: submittingAgent(...turns),
    sandbox: noSandbox(),
    cwd: makeRepository(),
    prompt: 'Work. Answer in <result>.',
    env: { TICKET_TOKEN: SECRET },
    timeouts: { idleMs: 60_000 },
    logging: { type: 'file' },
  };
}

const CALLS = [call('ticket', { id: 'seven' }), call('ticket', { id: 7 })];

async function eventsOf(running: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of running) events.push(event);
  return events;
}

describe('a run with tools', () => {
  it('answers a wrong argument with its issue, and runs the function for a right one', async () => {
    const { seen, tools } = ticketTools();
    const running = run({ ...optionsFor(), agent: bridgedAgent(CALLS), tools });
    const events = await eventsOf(running);
    const { stdout, logFilePath = '' } = await running;

    expect(stdout).toContain('ticket failed: The arguments of `ticket` do not fit its schema');
    expect(stdout).toContain('- id: Invalid input: expected number, received string');
    expect(stdout).toContain('ticket returned: {"id":7,"title":"Login fails","token":"***');
    expect(stdout).not.toContain(SECRET);
    expect(seen).toEqual([7]);
    expect(events.filter(({ type }) => type === 'host-tool')).toMatchObject([
      { name: 'ticket', isError: true, durationMs: expect.any(Number) },
      { name: 'ticket', isError: false, durationMs: expect.any(Number) },
    ]);
    expect(readFileSync(logFilePath, 'utf8')).toMatch(
      /^On the host: ticket, error, \d+ ms\n[^]*^On the host: ticket, \d+ ms\n/mu,
    );
  });

  it('has any form of answer beside them', async () => {
    const schema = z.object({ title: z.string() });
    const answer = { title: 'Login fails' };
    const print = { type: 'print', text: `<result>${JSON.stringify(answer)}</result>` } as const;
    const { seen, tools } = ticketTools();
    const tagged = await run({
      ...optionsFor([...CALLS, print]),
      tools,
      output: Output.object({ tag: 'result', schema }),
    });
    const submitted = await run({
      ...optionsFor([...CALLS, submit(answer)]),
      tools,
      output: Output.object({ mode: 'mcp', schema }),
    });
    expect([tagged.output, submitted.output]).toEqual([answer, answer]);
    expect(seen).toEqual([7, 7]);
  });

  it('serves each attempt at an answer, and each iteration', async () => {
    const { seen, tools } = ticketTools();
    const wrong = { type: 'print', text: '<result>{}</result>' } as const;
    const right = { type: 'print', text: '<result>{"n":1}</result>' } as const;
    await run({
      ...optionsFor([...CALLS, wrong], [...CALLS, right]),
      tools,
      output: Output.object({
        tag: 'result',
        schema: z.object({ n: z.number() }),
        maxCorrections: 1,
        retry: 'fresh',
      }),
    });
    await run({ ...optionsFor(CALLS), tools, maxIterations: 2 });
    expect(seen).toEqual([7, 7, 7, 7]);
  });

  it('names its tools to an agent that calls another one', async () => {
    const { tools } = ticketTools();
    const { stdout } = await run({ ...optionsFor([call('shell', {}), submit({})]), tools });
    expect(stdout).toContain('There is no tool `shell` here. Call `ticket`.');
    expect(stdout).toContain('There is no tool `submit_structured_output` here.');
  });

  it('ends a call at its limit, and returns what a function throws, without secrets', async () => {
    const { stdout } = await run({
      ...optionsFor([call('slow', {}), call('broken', {}), call('long', {})]),
      tools: {
        slow: { inputSchema: z.object({}), timeoutMs: 50, execute: () => new Promise(() => undefined) },
        broken: {
          inputSchema: z.object({}),
          execute: () => {
            throw new RangeError(`no database at ${SECRET}`);
          },
        },
        long: { inputSchema: z.object({}), execute: () => 'x'.repeat(300_000) },
      },
    });
    expect(stdout).toContain('slow failed: The tool failed: It did not end within 50 ms.');
    expect(stdout).toMatch(/broken failed: The tool failed: no database at \*+$/mu);
    const long = stdout.split('\n').find((line) => line.startsWith('long returned: '));
    expect(long?.length).toBe('long returned: '.length + 65_536);
  });

  it('does not take the time of a call for the agent’s silence', async () => {
    const options = optionsFor([call('slow', {})]);
    const { stdout } = await run({
      ...options,
      timeouts: { idleMs: 5_000 },
      tools: {
        slow: {
          inputSchema: z.object({}),
          execute: () =>
            new Promise((resolve) => {
              setTimeout(() => resolve('at last'), 7_000);
            }),
        },
      },
    });
    expect(stdout).toContain('slow returned: at last');
  });

  it('aborts a running call with the run', async () => {
    const abort = new AbortController();
    const reason = new RangeError('enough');
    const ended = Promise.withResolvers<boolean>();
    const running = run({
      ...optionsFor([call('wait', {}), { type: 'hang' }]),
      signal: abort.signal,
      tools: {
        wait: {
          inputSchema: z.object({}),
          execute: (_input: unknown, { signal }) => {
            signal.addEventListener('abort', () => ended.resolve(true));
            abort.abort(reason);
            return ended.promise;
          },
        },
      },
    });
    await expect(running).rejects.toBe(reason);
    expect(await ended.promise).toBe(true);
  });

  it('leaves no socket and no folder behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tc-'));
    const options = optionsFor(CALLS);
    vi.stubEnv('TMPDIR', folder);
    try {
      await run({ ...options, tools: ticketTools().tools });
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('siblings of run()', () => {
  it('serve tools in a kept sandbox, in a worktree and in a batch', async () => {
    const { seen, tools } = ticketTools();
    const { sandbox, cwd = '', prompt = '', env = {} } = optionsFor();
    const agent = (id: number): AgentProvider => submittingAgent([call('ticket', { id })]);
    {
      await using kept = await createSandbox({ branch: 'kept', sandbox, cwd });
      await Promise.all([1, 2].map((id) => kept.run({ agent: agent(id), prompt, env, tools })));
    }
    {
      await using worktree = await createWorktree({ branchStrategy: { type: 'merge-to-head' }, cwd });
      await worktree.run({ agent: agent(3), sandbox, prompt, env, tools });
    }
    for (const readOnly of [false, true]) {
      const inputs = [{ N: 1 }];
      const { ok } = await runBatch({
        agent: agent(4),
        sandbox,
        cwd,
        env,
        inputs,
        prompt: '{{N}}',
        readOnly,
        tools,
      });
      expect(ok).toBe(1);
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 4]);
  });

  it('keep them for the answer to a question', async () => {
    const { seen, tools } = ticketTools();
    const question = { type: 'print', text: '<result>{"question":{"text":"Which?"}}</result>' } as const;
    const answer = { type: 'print', text: '<result>{"answer":{"n":1}}</result>' } as const;
    const first = await run({
      ...optionsFor([...CALLS, question], [...CALLS, answer]),
      tools,
      output: Output.object({ tag: 'result', schema: z.object({ n: z.number() }), question: true }),
    });
    expect((await first.answer?.('That one'))?.output).toEqual({ outcome: 'answered', answer: { n: 1 } });
    expect(seen).toEqual([7, 7]);
  });
});

/** A tool with a member that its type does not have. */
function tooMuch(member: object): NonNullable<RunOptions['tools']>[string] {
  return { inputSchema: z.object({}), execute: () => 1, ...member };
}

describe('tools that cannot be called', () => {
  const { tools } = ticketTools();
  const noMcp = command({ command: 'true' });

  it.each<[string, Partial<RunOptions>, string]>([
    ['an agent without MCP', { agent: noMcp, tools }, 'The agent `command` cannot load MCP tools'],
    ['a sandbox on another machine', { sandbox: localIsolatedSandbox(), tools }, 'shares no files'],
    [
      'no object of tools',
      { tools: 'ticket' as unknown as NonNullable<RunOptions['tools']> },
      'Expected `tools` to be an object',
    ],
    [
      'an input that is no object',
      { tools: { text: { inputSchema: z.string(), execute: () => 1 } } },
      'Expected `tools.text.inputSchema` to describe an object',
    ],
    [
      'the name of the answer',
      { tools: { submit_structured_output: { inputSchema: z.object({}), execute: () => 1 } } },
      'Expected another name than `submit_structured_output`',
    ],
    [
      'an approval',
      {
        tools: {
          pay: tooMuch({ needsApproval: true }),
        },
      },
      '`tools.pay.needsApproval` is not supported in `run()`',
    ],
    ['an observer of the AI SDK', { tools: { pay: tooMuch({ onInputStart: () => 1 }) } }, 'Iterate the run'],
  ])('are refused before anything is created: %s', async (_title, changes, message) => {
    const agent = submittingAgent(CALLS);
    const options = { ...optionsFor(), agent, ...changes };
    await expect(run(options)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    });
    expect(agent.prompts).toEqual([]);
    const cwd = options.cwd ?? '';
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
  });

  it('are refused once by a batch, before its first item', async () => {
    const { branchStrategy: _strategy, prompt: _prompt, ...options } = optionsFor(CALLS);
    const results: unknown[] = [];
    const batch = runBatch({
      ...options,
      inputs: [{}, {}],
      prompt: 'Work.',
      tools: { text: { inputSchema: z.string(), execute: () => 1 } },
      onResult: (result) => void results.push(result),
    });
    await expect(batch).rejects.toMatchObject({ name: 'UsageError', code: 'unsupported' });
    expect(results).toEqual([]);
  });

  it('need nothing of the agent if there are none', async () => {
    const result = await run({ ...optionsFor(), agent: noMcp, tools: {} });
    expect(result.commits).toEqual([]);
  });
});

describeInBubblewrap('tools in bubblewrap', () => {
  it.each(['none', { allow: ['example.invalid'] }] as const)(
    'reach the program with egress %j',
    async (egress) => {
      const { seen, tools } = ticketTools();
      const { stdout } = await run({
        ...optionsFor(),
        agent: bridgedAgent(CALLS),
        sandbox: bubblewrap({ egress }),
        branchStrategy: { type: 'merge-to-head' },
        tools,
      });
      expect(stdout).toContain('ticket returned: {"id":7');
      expect(stdout).not.toContain(SECRET);
      expect(seen).toEqual([7]);
    },
  );
});
