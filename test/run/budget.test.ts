/**
 * Tests of a run's budget with an agent that calls the model in parallel, aborts its streams, and
 * exits early.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LimitError } from '../../src/errors/limit-error.ts';
import type { AgentProvider } from '../../src/run/agents/agent-provider.ts';
import { command } from '../../src/run/agents/command.ts';
import type { Budget } from '../../src/run/run-options.ts';
import { run } from '../../src/run/run.ts';
import { bubblewrap } from '../../src/run/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { runOptions } from './fixture.ts';

const INPUT_TOKENS = 40;
const OUTPUT_TOKENS = 960;
const BUDGET = 20_000;
/** Maximum charge of the service for one request here. */
const ONE_REQUEST = 1_200;

let model: Server;
/** The service's charge: every request that it accepted, whatever happened to its answer. */
let charged: number;
let underWay: number;
let mostUnderWay: number;

beforeEach(async () => {
  charged = 0;
  underWay = 0;
  mostUnderWay = 0;
  model = createServer((request, response) => {
    void (async () => {
      for await (const _ of request);
      charged += INPUT_TOKENS + OUTPUT_TOKENS;
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      response.once('close', () => (underWay -= 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const start = { message: { model: 'm', usage: { input_tokens: INPUT_TOKENS, output_tokens: 1 } } };
      response.write(`data: ${JSON.stringify(start)}\n\n`);
      response.write('data: {"delta":{"text":"word"}}\n\n');
      const usage = { output_tokens: OUTPUT_TOKENS };
      setTimeout(() => response.end(`data: ${JSON.stringify({ usage })}\n\n`), 20);
    })();
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
});
afterEach(() => {
  model.closeAllConnections();
  model.close();
});

/**
 * A program that sends `count` requests, in groups of `parallel`, and exits with 0 whatever the
 * model answers.
 */
function asking(options: {
  readonly count: number;
  readonly parallel: number;
  readonly isCut: boolean;
}): AgentProvider {
  const { count, parallel, isCut } = options;
  const program = `
    const ask = async () => {
      const cut = new AbortController();
      const body = JSON.stringify({ max_tokens: ${OUTPUT_TOKENS}, messages: [] });
      const response = await fetch(process.env.MODEL_URL + '/v1/messages', { method: 'POST', body, signal: cut.signal });
      if (${isCut} && response.status === 200) { await response.body.getReader().read(); cut.abort(); }
      else await response.text();
    };
    for (let sent = 0; sent < ${count}; sent += ${parallel})
      await Promise.allSettled(Array.from({ length: ${parallel} }, ask));
    process.exit(0);`;
  return {
    ...command({ command: ['node', '-e', program] }),
    modelAccess: () => ({
      upstreamUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
      headers: { 'x-api-key': 'sk-outside-only' },
      environment: (url) => ({ MODEL_URL: url }),
      secretNames: [],
    }),
  };
}

async function failureOf(agent: AgentProvider, budget: Budget): Promise<LimitError> {
  const failure: unknown = await run(runOptions('', { agent, sandbox: bubblewrap(), budget })).catch(
    (error: unknown) => error,
  );
  if (!LimitError.isInstance(failure))
    throw new Error('The run did not end by its budget.', { cause: failure });
  return failure;
}

describeInBubblewrap('a budget', () => {
  it.each([
    ['300 requests at once', { count: 300, parallel: 300, isCut: false }],
    ['300 at once that are cut before their last event', { count: 300, parallel: 300, isCut: true }],
    ['100 one after the other that are cut', { count: 100, parallel: 1, isCut: true }],
  ])('is passed by one request at most, by %s', async (_title, options) => {
    expect((await failureOf(asking(options), { tokens: BUDGET })).code).toBe('tokens');
    expect(charged).toBeGreaterThan(BUDGET / 4);
    expect(charged).toBeLessThanOrEqual(BUDGET + ONE_REQUEST);
  });

  it('lets requests go together while there is enough for all of them, and one by one after', async () => {
    await failureOf(asking({ count: 40, parallel: 10, isCut: false }), { tokens: BUDGET });
    expect(mostUnderWay).toBeGreaterThan(1);
    mostUnderWay = 0;
    await failureOf(asking({ count: 10, parallel: 10, isCut: false }), { tokens: 900 });
    expect(mostUnderWay).toBe(1);
  });

  it('ends a run whose agent left with success while its last answer was under way', async () => {
    const agent = asking({ count: 1, parallel: 1, isCut: true });
    expect((await failureOf(agent, { tokens: 500 })).code).toBe('tokens');
  });

  it('bounds the number of requests', async () => {
    const failure = await failureOf(asking({ count: 30, parallel: 3, isCut: false }), { requests: 7 });
    expect(failure.code).toBe('requests');
    expect(charged).toBe(7 * (INPUT_TOKENS + OUTPUT_TOKENS));
  });
});
