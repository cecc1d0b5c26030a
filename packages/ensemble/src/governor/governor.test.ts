/** Governor: charges every call, enforces each limit, and gives the judge the last word. */
import { describe, expect, it } from 'vitest';
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import type { EnsembleLimits } from '../scenario/ensemble-scenario.ts';
import { createEnsemble, type EnsembleOptions, resumeEnsemble } from '../conductor/ensemble.ts';
import {
  player,
  breakingLedger,
  charge,
  eventsOf,
  linesOf,
  options,
  speaks,
  seat,
  talker,
} from '../conductor/test-ensemble.ts';
import { memoryLedger } from '../ledger/memory-ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';

const worker = seat('worker');
const judge = seat('judge', { role: 'judge', tickEvery: null, mayEmit: ['judge.verdict'] });
const CAST = [worker, judge];
const rules = player('judge', async (turn) => {
  await charge(turn);
  return speaks(`last: ${turn.isLast}`, 'judge.verdict', { winner: 'worker' });
});

function play(limits: EnsembleLimits, change: Partial<EnsembleOptions> = {}): ReturnType<typeof options> {
  const scenarioChange = { competition: { kind: 'judged' } } as const;
  return options(CAST, [talker('worker'), rules], { limits, scenarioChange, ...change });
}

async function played(parts: EnsembleOptions): Promise<LedgerEvent[]> {
  await (await createEnsemble(parts)).run();
  return await eventsOf(parts.ledger);
}

describe('a spent budget', () => {
  it.each<[string, EnsembleLimits, number]>([
    ['calls', { calls: 3 }, 3],
    ['tokens', { tokens: 45 }, 3],
    ['calls', { calls: 0 }, 0],
  ])('of %s ends the run after the judge has had the last word', async (limit, limits, spoken) => {
    const events = await played(play(limits));
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(spoken);
    expect(events.slice(-4).map(({ kind }) => kind)).toEqual([
      'run.closing',
      'model.called',
      'judge.verdict',
      'run.finished',
    ]);
    expect(events.at(-4)?.payload).toEqual({ reason: 'budget', limit });
    expect(events.at(-2)?.payload).toMatchObject({ text: 'last: true' });
    expect(events.at(-1)?.payload).toMatchObject({
      reason: 'budget',
      winner: 'worker',
      winner_kind: 'agent',
    });
  });

  it('of turns ends the run by `turns`, after the last word', async () => {
    const events = await played(play({ turns: 2 }));
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'turns', winner: 'worker', turns: 2 });
  });

  it('is charged for a failed call, and for a call whose member then fails', async () => {
    const failing = player('worker', async (turn) => {
      await charge(turn, { code: 'rate-limit' });
      throw new RangeError('no answer');
    });
    const events = await played(play({ calls: 4, consecutiveFailures: 100 }, { agents: [failing, rules] }));
    expect(linesOf(events).filter((line) => line.includes('agent.failed'))).toHaveLength(4);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'budget' });
  });

  it('makes `charge` throw for the call that exceeds it, which is still charged', async () => {
    const codes: unknown[] = [];
    const greedy = player('worker', async (turn) => {
      for (let call = 0; call < 5; call += 1) {
        await charge(turn).catch((error: unknown) => {
          codes.push(BudgetExceededError.isInstance(error) && error.code);
          throw error;
        });
      }
      return speaks('never');
    });
    const events = await played(play({ calls: 3 }, { agents: [greedy, rules] }));
    expect(codes).toEqual(['calls']);
    expect(linesOf(events).slice(2, 8)).toEqual([
      '1 conductor model.called(worker)',
      '1 conductor model.called(worker)',
      '1 conductor model.called(worker)',
      '1 conductor model.called(worker)',
      '1 conductor agent.skipped(worker)',
      '1 conductor run.closing',
    ]);
    expect(events[6]?.payload).toMatchObject({ reason: 'budget: calls' });
  });

  it('of calls per turn ends the turn alone', async () => {
    const greedy = player('worker', async (turn) => {
      for (let call = 0; call < 3; call += 1) await charge(turn);
      return speaks('never');
    });
    const events = await played(play({ callsPerTurn: 2, turns: 2 }, { agents: [greedy, rules] }));
    const skipped = events.filter(({ kind }) => kind === 'agent.skipped');
    expect(skipped.map(({ turn, payload }) => [turn, payload['reason']])).toEqual([
      [1, 'budget: calls-per-turn'],
      [2, 'budget: calls-per-turn'],
    ]);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'turns' });
  });

  it('bounds the last word by the calls of a turn', async () => {
    const endless = player('judge', async (turn) => {
      for (;;) await charge(turn);
    });
    const events = await played(play({ turns: 0, callsPerTurn: 3 }, { agents: [talker('worker'), endless] }));
    expect(linesOf(events).filter((line) => line.includes('model.called'))).toHaveLength(4);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'turns', winner: null, winner_kind: null });
  });

  it('keeps its remainder after a resume', async () => {
    const parts = play({ calls: 5 });
    await (await createEnsemble(parts)).run({ turns: 3 });
    await (await resumeEnsemble(parts)).run();
    const events = await eventsOf(parts.ledger);
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(5);
  });
});

describe('a limit that cannot be counted', () => {
  const unpriced = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

  it.each<[string, EnsembleLimits, object]>([
    ['tokens', { tokens: 1_000 }, {}],
    ['money', { usdPerHour: 1 }, {}],
    ['money without a price', { usdPerHour: 1 }, { usage: unpriced }],
  ])('ends the run after the first such call: %s', async (_name, limits, call) => {
    const silent = player('worker', async (turn) => {
      await turn.charge({ model: 'scripted', durationMs: 1, code: 'ok', ...call });
      return speaks('unpaid');
    });
    const events = await played(play(limits, { agents: [silent, rules] }));
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(1);
    expect(events.find(({ kind }) => kind === 'run.closing')?.payload).toEqual({
      reason: 'budget',
      limit: 'uncounted',
    });
  });

  it.each([
    ['without limits', {}, 'ok'],
    ['of a call that failed', { tokens: 1_000 }, 'http'],
  ])('is none %s, and an unknown sum is absent', async (_name, limits, code) => {
    const silent = player('worker', async (turn) => {
      await turn.charge({ model: 'scripted', durationMs: 1, code });
      return speaks('unpaid');
    });
    const agents = [silent, player('judge', () => speaks('none', 'judge.verdict', { winner: null }))];
    const events = await played(play({ ...limits, turns: 2 }, { agents }));
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'turns' });
    expect(events.at(-1)?.payload).not.toHaveProperty('tokens');
    expect(events.find(({ kind }) => kind === 'model.called')?.payload).not.toHaveProperty('usage');
  });

  it('includes usage from JavaScript that holds no counts', async () => {
    const wrong = { ...unpriced, inputTokens: Number.NaN };
    const silent = player('worker', async (turn) => {
      await charge(turn, { usage: wrong });
      return speaks('unpaid');
    });
    const events = await played(play({ tokens: 1_000 }, { agents: [silent, rules] }));
    expect(events.find(({ kind }) => kind === 'run.closing')?.payload['limit']).toBe('uncounted');
  });
});

describe('a call that was lost in a crash', () => {
  it('stays charged, and does not reduce the calls of the turn', async () => {
    const parts = play({ callsPerTurn: 1, turns: 1 });
    const ledger = breakingLedger(parts.ledger, 3);
    await expect((await createEnsemble({ ...parts, ledger })).run()).rejects.toThrow('The power went out.');
    await (await resumeEnsemble(parts)).run();
    const events = await eventsOf(parts.ledger);
    expect(linesOf(events).slice(2, 5)).toEqual([
      '1 conductor model.called(worker)',
      '1 conductor model.called(worker)',
      '1 worker agent.spoke',
    ]);
    expect(events.at(-1)?.payload).toMatchObject({ tokens: 45 });
  });
});

describe('money per hour', () => {
  const MINUTE_MS = 60_000;

  /** Plays turns one minute apart, each with one call that costs `costUsd`. */
  async function playMinutes(usdPerHour: number, costUsd: number, minutes: number): Promise<LedgerEvent[]> {
    let nowMs = Date.UTC(2026, 0, 1);
    const spender = player('worker', async (turn) => {
      const usage = {
        inputTokens: 1,
        outputTokens: 1,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
        costUsd,
      };
      await charge(turn, { usage });
      return speaks('paid');
    });
    const clock = (): number => nowMs;
    const ledger = memoryLedger({ cast: CAST, clock });
    const parts = play({ usdPerHour, turns: 1000 }, { agents: [spender, rules], ledger, clock });
    const ensemble = await createEnsemble(parts);
    for (let minute = 0; minute < minutes; minute += 1, nowMs += MINUTE_MS) await ensemble.run({ turns: 1 });
    return await eventsOf(ledger);
  }

  it('ends the run when any sixty minutes cost that much', async () => {
    const events = await playMinutes(3, 0.1, 100);
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(30);
    expect(events.find(({ kind }) => kind === 'run.closing')?.payload).toEqual({
      reason: 'budget',
      limit: 'usd-per-hour',
    });
  });

  it('forgets what is older than an hour', async () => {
    const events = await playMinutes(6.05, 0.1, 200);
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(200);
  });

  it('adds tenths of cents without rounding errors', async () => {
    const events = await playMinutes(0.003, 0.0001, 100);
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(30);
  });
});

describe('failures in a row', () => {
  it('of members end the run as failed, without a last word', async () => {
    const bad = player('worker', () => Promise.reject(new RangeError('down')));
    const events = await played(play({ consecutiveFailures: 3 }, { agents: [bad, rules] }));
    expect(linesOf(events).slice(2)).toEqual([
      '1 conductor agent.failed(worker)',
      '2 conductor agent.failed(worker)',
      '3 conductor agent.failed(worker)',
      '3 conductor run.closing',
      '3 conductor run.finished',
    ]);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'failed', winner: null });
  });

  it('of calls end the run even if each turn produced an event', async () => {
    const limping = player('worker', async (turn) => {
      await charge(turn, { code: 'http' });
      return speaks('raw words');
    });
    const events = await played(play({ consecutiveFailures: 4 }, { agents: [limping, rules] }));
    expect(events.filter(({ actor }) => actor === 'worker')).toHaveLength(4);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'failed' });
  });

  it('of calls are no invalid answers: the service works', async () => {
    const wordy = player('worker', async (turn) => {
      for (const code of ['invalid-json', 'schema-mismatch', 'truncated', 'not-produced']) {
        await charge(turn, { code });
      }
      return speaks('raw words');
    });
    const parts = play({ consecutiveFailures: 3, turns: 4 }, { agents: [wordy, rules] });
    expect((await played(parts)).at(-1)?.payload).toMatchObject({ reason: 'turns' });
  });

  it('are reset by an answer, and kept by a resume', async () => {
    const flaky = player('worker', ({ turn }) => {
      if (turn % 3 === 0) return speaks('well');
      throw new RangeError('down');
    });
    const parts = play({ consecutiveFailures: 3, turns: 9 }, { agents: [flaky, rules] });
    expect((await played(parts)).at(-1)?.payload).toMatchObject({ reason: 'turns' });
    const broken = play(
      { consecutiveFailures: 3 },
      { agents: [player('worker', () => Promise.reject(new RangeError('x'))), rules] },
    );
    await (await createEnsemble(broken)).run({ turns: 2 });
    await (await resumeEnsemble(broken)).run();
    expect((await eventsOf(broken.ledger)).at(-1)).toMatchObject({ turn: 3, payload: { reason: 'failed' } });
  });
});

describe('the time of a turn', () => {
  it('ends an agent that never answers, and the run continues', async () => {
    const late: unknown[] = [];
    const stuck = player('worker', async (turn) => {
      await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
      await charge(turn).catch((error: unknown) => late.push(error));
      return await new Promise<never>(() => undefined);
    });
    const events = await played(play({ turnTimeoutMs: 20, turns: 2 }, { agents: [stuck, rules] }));
    const failed = events.filter(({ kind }) => kind === 'agent.failed');
    expect(failed.map(({ turn, payload }) => [turn, payload['code']])).toEqual([
      [1, 'timeout'],
      [2, 'timeout'],
    ]);
    expect(late).toMatchObject([{ code: 'timeout' }, { code: 'timeout' }]);
    expect(events.at(-1)?.payload).toMatchObject({ reason: 'turns', winner: 'worker' });
  });

  it('does not limit an agent that answers', async () => {
    const events = await played(play({ turnTimeoutMs: 60_000, turns: 2 }));
    expect(events.some(({ kind }) => kind === 'agent.failed')).toBe(false);
  });
});

describe('limits', () => {
  it.each([
    { calls: -1 },
    { turns: 1.5 },
    { tokens: Number.NaN },
    { cascade: 0 },
    { callsPerTurn: 0 },
    { turnTimeoutMs: 0 },
    { turnTimeoutMs: 2 ** 31 },
    { bananas: 1 },
    { turns: '5' },
  ])('%j are refused', async (limits) => {
    await expect(createEnsemble(play(limits as EnsembleLimits))).rejects.toMatchObject({
      code: 'invalid-option',
    });
  });
});
