/** Tests of agents as durable runs: their requests, results, failures and stops. */
import assert from 'node:assert/strict';
import { onTestFinished, expect, it } from 'vitest';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { openStore } from '@truecast/store/internal/open-store';
import type { AgentReply, AgentTask } from '../../agents/agent-runner.ts';
import { STOPS } from '../../agents/stop-reason.ts';
import type { ExecutionEnding } from '../../runs/agent-executor.ts';
import type { RunMachine } from '../../runs/state/run-machine.ts';
import { OFFERS, RUN_OWNER, testRuns } from '../../runs/state/test-runs.ts';
import { durableAgents } from './durable-agents.ts';

const ID = '0b0f1d3e-6f0a-8c52-8d0c-2f5f5a1f1d11';
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
const SHAS = ['a'.repeat(40), 'b'.repeat(40)];
const WORK = {
  commits: SHAS,
  usage: { input_tokens: 5, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};

/** @param wrap - changes the machine that the agents use. @default unchanged */
async function openAgents(wrap: (machine: RunMachine) => RunMachine = (machine) => machine) {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const machine = testRuns(store);
  const budget = { default: { usd: 2 }, maximum: { tokens: 9 } };
  const offers = { ...OFFERS, budget };
  const agents = durableAgents({
    machine: wrap(machine),
    offers,
    agents: ['claude-code'],
    repository: 'web',
    timeoutMs: 90_500,
  });
  const stop = new AbortController();
  const read = () => machine.readRun({ owner: RUN_OWNER, runId: ID });
  return {
    machine,
    stop,
    read,
    run: (task: Partial<AgentTask> = {}): Promise<AgentReply> =>
      agents.run({
        agent: 'claude-code',
        prompt: 'Count.',
        caller: { owner: RUN_OWNER, parent: { id: 'chat-1', relation: 'chat' }, taskId: ID },
        signal: stop.signal,
        ...task,
      }),
    /** Claims the run once it is queued, and ends it. */
    async end(ending: Exclude<ExecutionEnding, { readonly status: 'stopped' | 'lost' }>): Promise<void> {
      await expect.poll(() => read().catch(() => undefined)).toBeDefined();
      await machine.beat('w1');
      const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
      assert(held);
      await machine.endRun(held.fence, ending);
    },
  };
}

it('a task becomes a run of its caller, with the limits of the configuration', async () => {
  const { run, read, end } = await openAgents();
  const branches: string[] = [];
  const reply = run({ model: 'opus', onBranch: (branch) => branches.push(branch) });
  await end({ status: 'succeeded', text: 'Seven.' });
  expect(await reply).toEqual({ text: 'Seven.', runId: ID });
  const { request, owner, parentId, relation } = await read();
  expect(request).toEqual({
    repository: 'web',
    agent: 'claude-code',
    model: 'opus',
    prompt: 'Count.',
    limits: { timeout_seconds: 91, usd: 2, tokens: 9 },
  });
  expect({ owner, parentId, relation }).toEqual({ owner: RUN_OWNER, parentId: 'chat-1', relation: 'chat' });
  expect(branches).toEqual([`truecast/runs/${ID}`]);
});

it('a repeated task returns the value of the first one, with its commits and usage', async () => {
  const { run, machine, end } = await openAgents();
  const task = { output: { name: 'count', schema: SCHEMA } };
  const both = [run(task), run(task)];
  await end({ status: 'succeeded', valueText: '{"n":7}', warnings: ['Odd.'], ...WORK });
  const work = { branch: `truecast/runs/${ID}`, commits: SHAS, warnings: ['Odd.'] };
  const usage = expect.objectContaining({ inputTokens: 5, outputTokens: 2 });
  for (const reply of await Promise.all(both)) {
    expect(reply).toEqual({ text: '{"n":7}', usage, work, runId: ID });
  }
  expect((await machine.listRuns({ owner: RUN_OWNER, limit: 9 })).runs).toHaveLength(1);
});

it.each([
  ['structured_output_not_produced', 'schema_mismatch', 'StructuredOutputError', 'schema-mismatch'],
  ['limit_reached', 'time', 'FailedAgentRun', 'limit-reached'],
] as const)('a run that fails with %s rejects with its work', async (code, reason, name, thrown) => {
  const { run, end } = await openAgents();
  const reply = run();
  const failed = expect(reply).rejects.toMatchObject({
    name,
    code: thrown,
    message: `It was 3. The run is \`${ID}\`.`,
    branch: `truecast/runs/${ID}`,
    commits: SHAS.map((sha) => ({ sha })),
    usage: { inputTokens: 5 },
  });
  await end({ status: 'failed', error: { code, reason, message: 'Retry.', detail: 'It was 3.' }, ...WORK });
  await failed;
});

it.each([
  ['interrupting', 'canceled'],
  ['lost', 'queued'],
  ['shutdown', 'queued'],
] as const)('after an abort because of %s, the run is %s', async (reason, status) => {
  const { run, read, stop } = await openAgents();
  const reply = run({ onBranch: () => stop.abort(STOPS[reason]) });
  await expect(reply).rejects.toBe(STOPS[reason]);
  expect((await read()).status).toBe(status);
});

it('an abort of a client cancels the run', async () => {
  const { run, read, stop } = await openAgents();
  await expect(run({ onBranch: () => stop.abort() })).rejects.toThrow('aborted');
  expect((await read()).status).toBe('canceled');
});

it.each([
  ['a prompt that is too long', { prompt: 'x'.repeat(262_145) }, 'UsageError'],
  [
    'a schema that is too large',
    { output: { name: 'n', schema: { ...SCHEMA, description: 'x'.repeat(17_000) } } },
    'SchemaError',
  ],
] as const)('creates no run for %s', async (_what, task, name) => {
  const { run, machine } = await openAgents();
  await expect(run(task)).rejects.toMatchObject({ name });
  expect((await machine.listRuns({ owner: RUN_OWNER, limit: 9 })).runs).toEqual([]);
});

it('a database that is away for a moment ends no task, and creates no second run', async () => {
  const away = (): Promise<never> =>
    Promise.reject(new StoreError('The connection was lost.', { code: 'connection-lost' }));
  const calls = { createRun: 0, waitForRun: 0 };
  const { run, machine, end } = await openAgents((real) => ({
    ...real,
    createRun: async (wanted) => {
      const created = await real.createRun(wanted);
      return (calls.createRun += 1) === 1 ? away() : created;
    },
    waitForRun: (wait) => ((calls.waitForRun += 1) === 1 ? away() : real.waitForRun(wait)),
  }));
  const reply = run();
  await end({ status: 'succeeded', text: 'Seven.' });
  expect(await reply).toEqual({ text: 'Seven.', runId: ID });
  expect(calls).toEqual({ createRun: 2, waitForRun: 2 });
  expect((await machine.listRuns({ owner: RUN_OWNER, limit: 9 })).runs).toHaveLength(1);
});
