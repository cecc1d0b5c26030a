import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitError } from '@truecast/core/internal/errors/limit-error';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import type { ModelSpend } from '../../ports/egress-observer.ts';
import { createSpendLedger } from './spend-ledger.ts';

const NEVER = new AbortController().signal;

/**
 * A request that reserves at most `tokens`, uses `used`, and reports its usage if it is counted.
 */
function request(tokens: number, used: number, isCounted = true): ModelSpend {
  return {
    most: { inputTokens: 0, outputTokens: tokens },
    used: () =>
      isCounted ? { isFinal: true, usage: { ...NO_USAGE, outputTokens: used } } : { isFinal: false },
  };
}

describe('the account of what a run asks its model', () => {
  it('promises nothing twice: requests that fit go together, others wait', async () => {
    const ledger = createSpendLedger({
      budget: { tokens: 100 },
      prices: undefined,
      onSpent: () => undefined,
    });
    const first = await ledger.reserve(request(60, 10), NEVER);
    const second = await ledger.reserve(request(40, 40), NEVER);
    let isThere = false;
    const third = ledger.reserve(request(30, 30), NEVER).then((reserved) => {
      isThere = true;
      return reserved;
    });
    await Promise.resolve();
    expect(isThere).toBe(false);
    if (first.type === 'grant') first.settle();
    expect((await third).type).toBe('grant');
    expect(second.type).toBe('grant');
  });

  it('passes its budget by one request at most, however many are there, counted or cut', async () => {
    const item = record({
      tokens: integer({ min: 1, max: 200 }),
      share: integer({ min: 0, max: 100 }),
      isCounted: boolean(),
    });
    await assert(
      asyncProperty(
        array(item, { minLength: 1, maxLength: 40 }),
        integer({ min: 1, max: 1_000 }),
        async (items, tokens) => {
          const errors: LimitError[] = [];
          const ledger = createSpendLedger({
            budget: { tokens },
            prices: undefined,
            onSpent: (error) => errors.push(error),
          });
          let spent = 0;
          let largest = 0;
          await Promise.all(
            items.map(async ({ tokens: most, share, isCounted }, index) => {
              const used = Math.ceil((most * share) / 100);
              const reserved = await ledger.reserve(request(most, used, isCounted), NEVER);
              if (reserved.type === 'refuse') return;
              spent += used;
              largest = Math.max(largest, used);
              for (let turn = 0; turn < index % 5; turn += 1) await Promise.resolve();
              reserved.settle();
            }),
          );
          expect(spent).toBeLessThanOrEqual(tokens + largest);
          expect(ledger.close()).toBe(errors[0]);
          if (spent > tokens) expect(errors).toHaveLength(1);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('charges what is still under way at the end, once', async () => {
    const ledger = createSpendLedger({
      budget: { tokens: 100 },
      prices: undefined,
      onSpent: () => undefined,
    });
    const reserved = await ledger.reserve(request(500, 0, false), NEVER);
    const waiting = ledger.reserve(request(1, 1), NEVER);
    expect(ledger.close()?.code).toBe('tokens');
    expect((await waiting).type).toBe('refuse');
    if (reserved.type === 'grant') reserved.settle();
    expect(ledger.close()?.message).toContain('500 tokens');
  });

  it('counts requests, and dollars where there are prices', async () => {
    const errors: string[] = [];
    const onSpent = ({ code }: LimitError): unknown => errors.push(code);
    const requests = createSpendLedger({ budget: { requests: 2 }, prices: undefined, onSpent });
    for (const expected of ['grant', 'grant', 'refuse']) {
      expect((await requests.reserve(request(1, 1), NEVER)).type).toBe(expected);
    }
    const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 1_000_000 };
    const money = createSpendLedger({ budget: { usd: 5 }, prices, onSpent });
    const reserved = await money.reserve(request(6, 6), NEVER);
    if (reserved.type === 'grant') reserved.settle();
    expect(errors).toEqual(['requests', 'money']);
  });

  it('lets go of a request that is cancelled while it waits', async () => {
    const ledger = createSpendLedger({ budget: { tokens: 10 }, prices: undefined, onSpent: () => undefined });
    const first = await ledger.reserve(request(10, 10), NEVER);
    const cancelled = new AbortController();
    const second = ledger.reserve(request(10, 1), cancelled.signal);
    cancelled.abort();
    expect((await second).type).toBe('refuse');
    expect(first.type).toBe('grant');
  });
});
