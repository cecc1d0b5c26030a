/** Tests of the usage of coding agents that a chat calls as tools: quotas and receipts. */
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { NO_USAGE, type Usage } from '../../packages/core/src/kit/usage.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { AgentRunner } from '../../packages/server/src/agents/agent-runner.ts';
import { codingAgentTools } from '../../packages/server/src/tools/coding-agent-tool.ts';
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../both-stores.ts';
import { COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer } from './test-server.ts';

const AGENT_USAGE: Usage = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 500, costUsd: 2 };
const CALL = reply.tool('run_coding_agent', { agent: 'codex', task: 'Work' });
const STEP = { inputTokens: 10, outputTokens: 1 };
const ANSWER = submit('{"output":{"n":1}}');

describeOnBothStores('The usage of a coding agent that a chat calls', (open) => {
  it('is in the receipt once, and in the quota before the next model call', async () => {
    for (const { fails, quotas, status } of [
      { fails: false, quotas: { tokens: 900_000 }, status: 'failed' },
      { fails: true, quotas: { costUsd: 2 }, status: 'failed' },
      { fails: false, quotas: { costUsd: 3 }, status: 'succeeded' },
    ] as const) {
      const owner = crypto.randomUUID();
      await using server = await testServer({
        store: open(),
        tools: codingAgentTools(agentsOf(fails)),
        script: [
          { ...CALL, usage: STEP },
          { ...ANSWER, usage: STEP },
        ],
        machine: { quotas: { perOwner: quotas } },
      });
      const requestId = newRequestId();
      const begun = { owner, model: 'test:scripted', message: message('Go', { requestId, schema: COUNT }) };
      await server.machine.createChat(begun);
      const { receipt } = await server.machine.waitForRequest({ owner, requestId, waitMs: 20_000 });
      expect(receipt.status).toBe(status);
      const steps = status === 'succeeded' ? 2 : 1;
      expect(server.scripted.requests).toHaveLength(steps);
      expect(receipt.usage).toMatchObject({
        input_tokens: 1_000_000 + steps * STEP.inputTokens,
        output_tokens: 500 + steps * STEP.outputTokens,
        cost_usd: 2,
      });
      expect(receipt.error?.code).toBe(status === 'failed' ? 'quota_exceeded' : undefined);
    }
  });

  it('is counted once when its worker dies after the commit of the result', async () => {
    const store = open();
    const quotas = { perOwner: { costUsd: 3.5 } };
    const tools = codingAgentTools(agentsOf(false));
    const committed = Promise.withResolvers<void>();
    await using dying = await testServer({
      store,
      tools,
      script: [CALL],
      machine: { quotas },
      sweepMs: 600_000,
      ports: { heartbeatMs: 600_000 },
      wrap: (machine) => ({
        ...machine,
        onChat: () => () => undefined,
        commitToolResults: async (...given) => {
          await machine.commitToolResults(...given);
          committed.resolve();
          throw new TypeError('killed');
        },
      }),
    });
    const requestId = newRequestId();
    const asked = message('Go', { requestId, schema: COUNT });
    await dying.machine.createChat({ owner: OWNER, model: 'test:scripted', message: asked });
    await committed.promise;

    await using next = await testServer({ store, tools, script: [ANSWER], machine: { quotas, leaseMs: -1 } });
    const { receipt } = await next.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 20_000 });
    expect(receipt).toMatchObject({ status: 'succeeded', usage: { cost_usd: 2 } });
    expect(await next.machine.spentBudget(OWNER)).toBeUndefined();
  });

  it('is counted when an interruption comes before the commit of the result', async () => {
    const quotas = { perOwner: { costUsd: 2 } };
    const owner = crypto.randomUUID();
    await using server = await testServer({
      store: open(),
      tools: codingAgentTools(agentsOf(false)),
      script: [CALL],
      machine: { quotas },
      ports: { heartbeatMs: 600_000 },
      wrap: (machine) => ({
        ...machine,
        onChat: () => () => undefined,
        commitToolResults: async (fence, results) => {
          await machine.interrupt({ owner, chatId: fence.chatId });
          return machine.commitToolResults(fence, results);
        },
      }),
    });
    const requestId = newRequestId();
    const asked = message('Go', { requestId, schema: COUNT });
    await server.machine.createChat({ owner, model: 'test:scripted', message: asked });
    const { receipt } = await server.machine.waitForRequest({ owner, requestId, waitMs: 20_000 });
    expect(receipt).toMatchObject({ error: { code: 'interrupted' }, usage: { cost_usd: 2 } });
    expect(await server.machine.spentBudget(owner)).toBeDefined();
  });
});

function agentsOf(fails: boolean): AgentRunner {
  return {
    list: () => ['codex'],
    run: () =>
      fails
        ? Promise.reject(new AgentError('It ended with exit code 3.', { code: 'exit', usage: AGENT_USAGE }))
        : Promise.resolve({ text: 'done', usage: AGENT_USAGE }),
  };
}
