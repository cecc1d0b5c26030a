/**
 * Tests of a sandbox's network in `run()`: refusals are reported, and the budget applies to agents
 * that report no usage.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { answerOutput, PRINT_ANSWER, runOptions } from './fixture.ts';

let model: Server;
let asked: number;

beforeEach(async () => {
  asked = 0;
  model = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"model":"m-1","usage":{"input_tokens":90,"output_tokens":10}}');
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
});
afterEach(() => {
  model.closeAllConnections();
  model.close();
});

/**
 * A shell script that reaches the model by `$MODEL_URL`, and whose lines `usage N` report its own
 * count.
 */
function agentWithModel(script: string): AgentProvider {
  const agent = command({
    command: ['sh', '-c', script],
    parse: (line) => {
      const own = /^usage (\d+)$/.exec(line)?.[1];
      if (own === undefined) return { type: 'text', text: `${line}\n` };
      const none = { outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
      return { type: 'usage', usage: { inputTokens: Number(own), ...none } };
    },
  });
  return {
    ...agent,
    modelAccess: () => ({
      upstreamUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
      headers: { 'x-api-key': 'sk-outside-only' },
      environment: (url) => ({ MODEL_URL: url }),
      secretNames: [],
    }),
  };
}

const ASK = `curl -sS -o /dev/null -d '{"max_tokens":10}' "$MODEL_URL/v1/messages"`;

describeInBubblewrap('a run whose model is carried by a proxy', () => {
  it('has the usage of the proxy if the agent reports none', async () => {
    const result = await run({
      ...runOptions('', { agent: agentWithModel(`${ASK}; ${ASK}; ${PRINT_ANSWER}`), sandbox: bubblewrap() }),
      output: answerOutput,
    });
    expect(result.usage).toMatchObject({ inputTokens: 180, outputTokens: 20 });
    expect(result.iterations[0]?.usage).toEqual(result.usage);
    expect(result.provenance.model).toBe('m-1');
  });

  it("has the agent's usage if it reports one", async () => {
    const agent = agentWithModel(`${ASK}; echo usage 7; ${PRINT_ANSWER}`);
    const result = await run(runOptions('', { agent, sandbox: bubblewrap() }));
    expect(result.usage).toMatchObject({ inputTokens: 7, outputTokens: 0 });
  });

  it.each([
    ['that tells no usage', ''],
    ['that tells less', 'echo usage 1;'],
  ])('ends an agent %s when its tokens are spent, over all attempts', async (_title, tell) => {
    const agent = agentWithModel(`${tell} while :; do ${ASK}; sleep 0.05; done`);
    const error: unknown = await run(
      runOptions('', { agent, sandbox: bubblewrap({ egress: 'model' }), budget: { tokens: 250 } }),
    ).catch((failure: unknown) => failure);
    if (!LimitError.isInstance(error)) throw error;
    expect(error.code).toBe('tokens');
    expect(error.message).toContain('300 tokens');
    expect(asked).toBe(3);
    expect(error.usage).toBeDefined();
  });

  it('prices what the proxy counted', async () => {
    const agent = agentWithModel(`while :; do ${ASK}; sleep 0.05; done`);
    const prices = { inputUsdPerMillion: 10_000, outputUsdPerMillion: 10_000 };
    const limits = { budget: { usd: 1.5, prices } };
    await expect(run(runOptions('', { agent, sandbox: bubblewrap(), ...limits }))).rejects.toMatchObject({
      code: 'money',
      usage: { costUsd: 2 },
    });
  });
});

describeInBubblewrap('a run with listed hosts', () => {
  it('warns once per refused host, and reaches its model in addition to the list', async () => {
    const script = `curl -s https://evil.test/; curl -s https://evil.test/again; ${ASK} && ${PRINT_ANSWER}`;
    const running = run({
      ...runOptions('', {
        agent: agentWithModel(script),
        sandbox: bubblewrap({ egress: { allow: ['registry.example'] } }),
      }),
      output: answerOutput,
    });
    const events: string[] = [];
    for await (const event of running) {
      if (event.type === 'warning') events.push(event.message);
      if (event.type === 'sandbox-ready') events.push(event.egress ?? '');
    }
    const result = await running;
    const warning =
      'A connection of the sandbox was blocked: `evil.test:443` is not listed in `egress.allow`.';
    expect(events).toEqual(['allow registry.example', warning]);
    expect(result.warnings).toEqual([warning]);
    expect(result.output.answer).toBe(42);
    expect(asked).toBe(1);
  });
});
