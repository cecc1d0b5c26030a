import { describe, expect, it } from 'vitest';
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import type { AgentAct } from '../../scenario/ensemble-agent.ts';
import { manifestAgent } from '../manifest-agent.ts';
import { bothProvider, CONTEST, JUDGE, turnOf, wordsProvider } from '../test-turns.ts';

/** A model's answer. `winner` can be any value. */
function verdict(winner: unknown, text = 'Her lie had a floor plan.', scores: unknown = {}): string {
  return JSON.stringify({ kind: 'judge.verdict', text, winner, scores });
}

const VERSUS = {
  ...CONTEST,
  competition: { kind: 'versus', teams: { herd: ['bob', 'cyd'], spy: ['ada-lovelace'] } },
} as const;

async function rule(replies: readonly (string | Error)[], scenario = CONTEST, turn = turnOf()) {
  const provider = wordsProvider(replies);
  const act = await manifestAgent({ manifest: JUDGE, provider, scenario }).act(turn);
  return { act, provider, turn, payload: payloadOf(act) };
}

function payloadOf(act: AgentAct): Readonly<Record<string, unknown>> {
  return act.type === 'event' ? act.payload : {};
}

describe('a winner', () => {
  it('in the cast is accepted at once', async () => {
    const { payload, provider, act } = await rule([verdict('bob')]);
    expect(payload).toEqual({ text: 'Her lie had a floor plan.', winner: 'bob', scores: {} });
    expect(provider.asked).toHaveLength(1);
    expect(act).not.toHaveProperty('provenance.winnerReAsked');
  });

  it.each(['Ada Lovelace', 'ada lovelace', ' ADA-LOVELACE ', 'AdaLovelace', 'ada‑lovelace', 'Ａda Lovelace'])(
    'is %j whatever its case, spaces and hyphens',
    async (name) => {
      const { payload, provider } = await rule([verdict(name)]);
      expect(payload['winner']).toBe('ada-lovelace');
      expect(provider.asked).toHaveLength(1);
    },
  );

  it.each([null, '', '  ', undefined, 'none', 'Nobody.', 'no one', 'N/A', '"null"'])(
    'without a name (%j) is null, and never requested again',
    async (winner) => {
      const { payload, provider } = await rule([verdict(winner)]);
      expect(payload['winner']).toBeNull();
      expect(payload).not.toHaveProperty('no_contest');
      expect(provider.asked).toHaveLength(1);
    },
  );

  it('outside the cast is requested again once with the names, and only the name is used', async () => {
    const replies = [verdict('Zed', 'First words.', { bob: 3 }), verdict('Bob', 'Second words.', { bob: 9 })];
    const { payload, provider, act, turn } = await rule(replies);
    expect(payload).toEqual({ text: 'First words.', winner: 'bob', scores: { bob: 3 } });
    expect(act).toMatchObject({ provenance: { winnerReAsked: true, rung: 'prompted' } });
    expect(provider.asked).toHaveLength(2);
    expect(provider.asked[1]?.prompt).toContain('"Zed"');
    expect(provider.asked[1]?.prompt).toContain('ada-lovelace | bob.');
    expect(turn.charged).toHaveLength(2);
  });

  it('outside the cast twice is no contest, and the text is kept', async () => {
    const { payload, provider } = await rule([verdict('Zed'), verdict('Zoe', 'Other words.')]);
    expect(payload).toEqual({
      text: 'Her lie had a floor plan.',
      winner: null,
      scores: {},
      no_contest: { reason: 'unknown-winner', rejected: ['Zed', 'Zoe'] },
    });
    expect(provider.asked).toHaveLength(2);
  });

  it('is null if the second answer is null', async () => {
    const { payload } = await rule([verdict('Zed'), verdict(null)]);
    expect(payload['winner']).toBeNull();
    expect(payload).not.toHaveProperty('no_contest');
  });

  it.each([new RangeError('down'), 'I meant Bob, of course.', ''])(
    'stays unknown when the second answer is %j',
    async (second) => {
      const { payload } = await rule([verdict('Zed'), second]);
      expect(payload).toMatchObject({
        text: 'Her lie had a floor plan.',
        winner: null,
        no_contest: { reason: 're-ask-failed', rejected: ['Zed'] },
      });
    },
  );

  it.each(['arbiter', 'herald'])('is never the judge or an observer: %s', async (name) => {
    const { payload, provider } = await rule([verdict(name), verdict(name)]);
    expect(payload).toMatchObject({ winner: null, no_contest: { reason: 'unknown-winner' } });
    expect(provider.asked).toHaveLength(2);
  });

  it('is requested again on the validated path in one call, and its failure is reported', async () => {
    const provider = bothProvider([
      { kind: 'judge.verdict', text: 'One.', winner: 'Zed', scores: {} },
      { kind: 'judge.verdict', text: 'Two.', winner: 'BOB', scores: {} },
    ]);
    const act = await manifestAgent({ manifest: JUDGE, provider, scenario: CONTEST }).act(turnOf());
    expect(payloadOf(act)).toEqual({ text: 'One.', winner: 'bob', scores: {} });
    expect(act).toMatchObject({ provenance: { path: 'validated', attempts: 1, winnerReAsked: true } });
    expect(provider.structured.map(({ maxRetries }) => maxRetries)).toEqual([undefined, 0]);
    expect(provider.asked).toHaveLength(0);
  });

  it('costs a verdict its turn when the budget refuses the second call', async () => {
    const spent = new BudgetExceededError('Spent. Raise it.', { code: 'calls' });
    let calls = 0;
    const turn = turnOf({ charge: () => ((calls += 1) > 1 ? Promise.reject(spent) : Promise.resolve()) });
    await expect(rule([verdict('Zed'), verdict('bob')], CONTEST, turn)).rejects.toBe(spent);
  });
});

describe('scores', () => {
  it('belong to players, from 0 to 10, and are never requested again', async () => {
    const scores = { 'Ada Lovelace': 12, bob: -3, ghost: 7, arbiter: 10 };
    const { payload, provider } = await rule([verdict('bob', 'Words.', scores)]);
    expect(payload['scores']).toEqual({ 'ada-lovelace': 10, bob: 0 });
    expect(provider.asked).toHaveLength(1);
  });

  it('take the exact name before another spelling of it', async () => {
    const { payload } = await rule([verdict('bob', 'Words.', { BOB: 1, bob: 2, Bob: 3 })]);
    expect(payload['scores']).toEqual({ bob: 2 });
  });
});

describe('in a versus', () => {
  it.each([
    ['Ada Lovelace', { accused: 'ada-lovelace', correct: true, winner: 'herd' }],
    ['bob', { accused: 'bob', correct: false, winner: 'spy' }],
  ])('the model accuses %s, and the engine sets the rest', async (name, stamped) => {
    const { payload } = await rule([verdict(name)], VERSUS);
    expect(payload).toMatchObject(stamped);
  });

  it('a team’s label accuses no player', async () => {
    const { payload, provider } = await rule([verdict('herd'), verdict('spy')], VERSUS);
    expect(payload).toMatchObject({ winner: null, no_contest: { rejected: ['herd', 'spy'] } });
    expect(payload).not.toHaveProperty('correct');
    expect(provider.asked).toHaveLength(2);
  });

  it('no accusation means no winner', async () => {
    const { payload } = await rule([verdict(null)], VERSUS);
    expect(payload).toMatchObject({ accused: null, winner: null });
    expect(payload).not.toHaveProperty('correct');
  });
});

describe('in a contest of equal sides', () => {
  const teams = { north: ['bob'], south: ['ada-lovelace'] };
  const debate = { ...CONTEST, competition: { kind: 'versus', teams } } as const;

  it.each([
    ['north', 'north'],
    ['“NORTH.”', 'north'],
    ['Ada Lovelace', 'south'],
    ['nobody', null],
  ])('the verdict %j is of the team %j, and accuses no one', async (name, winner) => {
    const { payload, provider } = await rule([verdict(name)], debate);
    expect(payload).toEqual({ text: 'Her lie had a floor plan.', winner, scores: {} });
    expect(provider.asked).toHaveLength(1);
    expect(provider.asked[0]?.contract.winners).toEqual(['north', 'south']);
    expect(provider.asked[0]?.prompt).toContain('The team north: bob.\nThe team south: ada-lovelace.');
  });

  it('scores belong to teams and players', async () => {
    const { payload } = await rule([verdict('north', 'Words.', { North: 8, bob: '7', ghost: 1 })], debate);
    expect(payload['scores']).toEqual({ north: 8, bob: 7 });
  });

  it('a hidden team makes it an accusation, whatever its size', async () => {
    const competition = { kind: 'versus', teams, hidden: 'north' } as const;
    const { payload } = await rule([verdict('bob')], { ...CONTEST, competition });
    expect(payload).toMatchObject({ accused: 'bob', correct: true, winner: 'south' });
  });

  it('seats without teams are players', async () => {
    const competition = { kind: 'versus', symmetricSeats: ['bob', 'ada-lovelace'] } as const;
    const { payload } = await rule([verdict('ada')], { ...CONTEST, competition });
    expect(payload).toMatchObject({ winner: 'ada-lovelace' });
    expect(payload).not.toHaveProperty('accused');
  });
});

describe('a verdict stays unchanged', () => {
  const named = { kind: 'judge.verdict', text: 'Zed.', winner: 'Zed', scores: { Zed: 99 } };

  it.each([
    ['without a competition', { ...JUDGE }, {}],
    ['in a competition of none', { ...JUDGE }, { ...CONTEST, competition: { kind: 'none' } as const }],
    ['from one who is no judge', { ...JUDGE, role: 'worker' as const }, CONTEST],
  ])('%s', async (_name, manifest, scenario) => {
    const provider = wordsProvider([JSON.stringify(named)]);
    const act = await manifestAgent({ manifest, provider, scenario }).act(turnOf());
    expect(payloadOf(act)).toEqual({ text: 'Zed.', winner: 'Zed', scores: { Zed: 99 } });
    expect(provider.asked).toHaveLength(1);
  });
});
