/**
 * Tests of a run's budget with an agent that calls the model in parallel, aborts its streams, and
 * exits early.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { Budget } from '../../packages/truecast/src/run/options/run-bounds.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRuns } from '../matrix.ts';
import { CHARGE, ONE_REQUEST, startChargingModel, type ChargingModel } from './charging-model.ts';
import { runOptions } from './fixture.ts';

const BUDGET = matrixRuns(6_000, 20_000);
/** Many more requests than the budget has room for. */
const COUNT = matrixRuns(60, 300);

let model: ChargingModel;
beforeEach(async () => {
  model = await startChargingModel();
});
afterEach(() => model.close());

async function failureOf(agent: AgentProvider, budget: Budget): Promise<LimitError> {
  const failure: unknown = await run(runOptions('', { agent, sandbox: bubblewrap(), budget })).catch(
    (error: unknown) => error,
  );
  if (!LimitError.isInstance(failure)) {
    throw new Error('The run did not end by its budget.', { cause: failure });
  }
  return failure;
}

describeInBubblewrap('a budget', () => {
  it.each([
    [`${COUNT} requests at once`, { count: COUNT, parallel: COUNT, isCut: false }],
    [`${COUNT} at once that are cut before their last event`, { count: COUNT, parallel: COUNT, isCut: true }],
    [`${COUNT / 3} one after the other that are cut`, { count: COUNT / 3, parallel: 1, isCut: true }],
  ])('is passed by one request at most, by %s', async (_title, options) => {
    expect((await failureOf(model.asking(options), { tokens: BUDGET })).code).toBe('tokens');
    expect(model.charged).toBeGreaterThan(BUDGET / 4);
    expect(model.charged).toBeLessThanOrEqual(BUDGET + ONE_REQUEST);
  });

  it.each([
    ['states its limit twice', `{"max_tokens":960,"max_tokens":1}`],
    ['states the limit of another API', `{"max_output_tokens":1}`],
    [
      'has a document',
      `{"max_tokens":1,"content":[{"source":{"media_type":"application/pdf","data":"JVBERi0="}}]}`,
    ],
    [
      'has a picture',
      `{"max_tokens":1,"input":[{"image_url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCA=="}]}`,
    ],
    ['has sound', `{"max_tokens":1,"content":[{"input_audio":{"data":"AAAA","format":"wav"}}]}`],
    ['thinks longer than its limit', `{"max_tokens":1,"thinking":{"type":"enabled","budget_tokens":960}}`],
    ['uses a container', `{"max_tokens":1,"container":"container_1"}`],
    ['is compressed', `\u001f\u008b{"max_tokens":1}`],
  ])('is passed by one request at most, if each of many at once %s', async (_title, body) => {
    const agent = model.asking({ count: COUNT, parallel: COUNT, isCut: false, body });
    expect((await failureOf(agent, { tokens: BUDGET })).code).toBe('tokens');
    expect(model.charged).toBeLessThanOrEqual(BUDGET + ONE_REQUEST);
  });

  it('lets requests go together while there is enough for all of them, and one by one after', async () => {
    await failureOf(model.asking({ count: COUNT, parallel: 10, isCut: false }), { tokens: BUDGET });
    expect(model.mostUnderWay).toBeGreaterThan(1);
    model.mostUnderWay = 0;
    await failureOf(model.asking({ count: 10, parallel: 10, isCut: false }), { tokens: 900 });
    expect(model.mostUnderWay).toBe(1);
  });

  it('ends a run whose agent left with success while its last answer was under way', async () => {
    const agent = model.asking({ count: 1, parallel: 1, isCut: true });
    expect((await failureOf(agent, { tokens: 500 })).code).toBe('tokens');
  });

  it('bounds the number of requests', async () => {
    const failure = await failureOf(model.asking({ count: 30, parallel: 3, isCut: false }), { requests: 7 });
    expect(failure.code).toBe('requests');
    expect(model.charged).toBe(7 * CHARGE);
  });
});
