/** Tests of a batch's budget: parallel runs share one ledger, and exceed it by at most one request. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import type { Budget } from '../../packages/truecast/src/run/options/run-bounds.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRuns } from '../matrix.ts';
import {
  CHARGE,
  ONE_REQUEST,
  startChargingModel,
  type Asking,
  type ChargingModel,
} from './charging-model.ts';
import { makeRepository } from './fixture.ts';

/** One more than there are runs in parallel, or all again. */
const ITEMS = matrixRuns(5, 8);

const COUNT = matrixRuns(20, 50);

let model: ChargingModel;
beforeEach(async () => {
  model = await startChargingModel();
});
afterEach(() => model.close());

async function play(budget: Budget, asking: Asking, readOnly: boolean): Promise<LimitError | undefined> {
  try {
    await runBatch({
      agent: model.asking(asking),
      sandbox: bubblewrap(),
      cwd: makeRepository(),
      inputs: Array.from({ length: ITEMS }, (_, id) => ({ id })),
      prompt: 'Work.',
      concurrency: 4,
      readOnly,
      budget,
    });
    return undefined;
  } catch (error) {
    if (LimitError.isInstance(error)) return error;
    throw error;
  }
}

describeInBubblewrap('the budget of a batch', () => {
  it.each([false, true])('bounds the requests of all parallel runs, read-only: %s', async (readOnly) => {
    const failure = await play({ requests: 7 }, { count: 5, parallel: 5, isCut: false }, readOnly);
    expect(failure).toMatchObject({ code: 'requests' });
    expect(failure?.message).toContain('The batch has used its budget of 7 requests');
    expect(model.charged).toBe(7 * CHARGE);
  });

  it.each([false, true])('is exceeded by one request at most, read-only: %s', async (readOnly) => {
    const tokens = 10_000;
    const failure = await play({ tokens }, { count: COUNT, parallel: COUNT, isCut: true }, readOnly);
    expect(failure).toMatchObject({ code: 'tokens' });
    expect(model.charged).toBeGreaterThan(tokens / 4);
    expect(model.charged).toBeLessThanOrEqual(tokens + ONE_REQUEST);
  });

  it('leaves a batch within it alone', async () => {
    const failure = await play({ requests: ITEMS * 2 }, { count: 2, parallel: 2, isCut: false }, false);
    expect(failure).toBeUndefined();
    expect(model.charged).toBe(ITEMS * 2 * CHARGE);
  });
});
