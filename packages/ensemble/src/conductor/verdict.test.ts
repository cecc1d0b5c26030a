/** Verdicts end a run if, and only if, there is a winner. */
import { describe, expect, it } from 'vitest';
import type { Competition } from '../scenario/ensemble-scenario.ts';
import { createEnsemble } from './ensemble.ts';
import { player, eventsOf, options, speaks, seat, talker } from './test-ensemble.ts';

const CAST = [
  seat('ada', { model: 'm-ada' }),
  seat('bo'),
  seat('watcher', { role: 'observer', tickEvery: null }),
  seat('judge', { role: 'judge', mayEmit: ['judge.verdict', 'agent.spoke'] }),
];
const TEAMS = { kind: 'versus', teams: { herd: ['ada', 'bo'] } } as const;

/** Plays two turns with the same judge output and returns how the run ended. */
async function endOf(
  competition: Competition,
  verdict: Readonly<Record<string, unknown>>,
  kind = 'judge.verdict',
): Promise<unknown> {
  const agents = [
    talker('ada'),
    player('bo', () => speaks('bo wins', 'agent.spoke', { winner: 'bo' })),
    talker('watcher'),
    player('judge', () => speaks('so be it', kind, verdict)),
  ];
  const parts = options(CAST, agents, { limits: { turns: 2 }, scenarioChange: { competition } });
  await (await createEnsemble(parts)).run();
  const { reason, winner, winner_kind, winners, winning_models, turns } =
    (await eventsOf(parts.ledger)).at(-1)?.payload ?? {};
  return { reason, winner, winner_kind, winners, winning_models, turns };
}

const NOBODY = { winner: null, winner_kind: null, winners: [], winning_models: [] };

describe('a verdict', () => {
  it('of a player ends the run with its model', async () => {
    expect(await endOf({ kind: 'judged' }, { winner: 'ada' })).toEqual({
      reason: 'verdict',
      winner: 'ada',
      winner_kind: 'agent',
      winners: ['ada'],
      winning_models: ['scripted'],
      turns: 1,
    });
  });

  it('of a team ends the run with the models of its members', async () => {
    expect(await endOf(TEAMS, { winner: 'herd' })).toEqual({
      reason: 'verdict',
      winner: 'herd',
      winner_kind: 'team',
      winners: ['ada', 'bo'],
      winning_models: ['scripted'],
      turns: 1,
    });
  });

  it.each([
    ['without a winner', { winner: null }],
    ['that leaves the winner out', {}],
    ['of a name that nobody has', { winner: 'zed' }],
    ['of the judge itself', { winner: 'judge' }],
    ['of an observer', { winner: 'watcher' }],
    ['of a property of objects', { winner: 'constructor' }],
    ['of no contest', { winner: 'ada', no_contest: { reason: 'unknown-winner', rejected: ['Zed'] } }],
  ])('%s does not end the run, and sets no winner', async (_what, verdict) => {
    expect(await endOf(TEAMS, verdict)).toEqual({ reason: 'turns', ...NOBODY, turns: 2 });
  });

  it('of a team is ignored if there are no teams', async () => {
    expect(await endOf({ kind: 'judged' }, { winner: 'herd' })).toEqual({
      reason: 'turns',
      ...NOBODY,
      turns: 2,
    });
  });

  it('does not end a run in which nothing can be won', async () => {
    expect(await endOf({ kind: 'none' }, { winner: 'ada' })).toEqual({
      reason: 'turns',
      ...NOBODY,
      turns: 2,
    });
  });

  it('of a member that is not a judge ends nothing', async () => {
    const cast = [seat('ada', { mayEmit: ['judge.verdict'] }), seat('bo')];
    const agents = [player('ada', () => speaks('I win', 'judge.verdict', { winner: 'ada' })), talker('bo')];
    const parts = options(cast, agents, {
      limits: { turns: 2 },
      scenarioChange: { competition: { kind: 'judged' } },
    });
    expect((await (await createEnsemble(parts)).run()).end).toMatchObject({ reason: 'turns', winner: null });
  });

  it('that names a winner is the last of the last words', async () => {
    const asked: string[] = [];
    const judge = (name: string, winner: string | null): ReturnType<typeof player> =>
      player(name, ({ isLast }) => {
        asked.push(`${name} ${isLast}`);
        return speaks('I say', 'judge.verdict', { winner });
      });
    const names = ['first', 'second', 'third'];
    const bench = names.map((name) =>
      seat(name, { role: 'judge', tickEvery: null, mayEmit: ['judge.verdict'] }),
    );
    const agents = [talker('ada'), judge('first', null), judge('second', 'ada'), judge('third', 'ada')];
    const scenarioChange = { competition: { kind: 'judged' } } as const;
    const parts = options([seat('ada'), ...bench], agents, { limits: { turns: 1 }, scenarioChange });
    expect((await (await createEnsemble(parts)).run()).end).toMatchObject({ reason: 'turns', winner: 'ada' });
    expect(asked).toEqual(['first true', 'second true']);
  });

  it('is a verdict by its kind, not by a field', async () => {
    expect(await endOf({ kind: 'judged' }, { winner: 'ada' }, 'agent.spoke')).toEqual({
      reason: 'turns',
      ...NOBODY,
      turns: 2,
    });
  });
});

describe('a scenario', () => {
  it.each([
    ['without a cast', { cast: [] }],
    ['with a name twice', { cast: [seat('ada'), seat('ada')] }],
    ['with a seat that no agent fills', { cast: [seat('zed')] }],
    ['without a first scene', { genesisText: ' ' }],
    ['with a team of strangers', { competition: { kind: 'versus', teams: { herd: ['zed'] } } as const }],
    ['with an empty team', { competition: { kind: 'versus', teams: { herd: [] } } as const }],
    ['with a team named like a member', { competition: { kind: 'versus', teams: { ada: ['bo'] } } as const }],
    [
      'with a member in two teams',
      { competition: { kind: 'versus', teams: { a: ['bo'], b: ['bo'] } } as const },
    ],
    [
      'with a hidden team that is none',
      { competition: { kind: 'versus', teams: { a: ['ada'], b: ['bo'] }, hidden: 'c' } } as const,
    ],
    ['with one symmetric seat', { competition: { kind: 'judged', symmetricSeats: ['ada'] } } as const],
    [
      'with the seat of a stranger',
      { competition: { kind: 'judged', symmetricSeats: ['ada', 'zed'] } } as const,
    ],
    ['with a schedule that is none', { cast: [seat('ada', { tickEvery: -1 })] }],
    ['with nobody allowed to speak', { cast: [seat('ada', { maxConsecutive: 0 })] }],
    ['with a subscription to no kind', { cast: [seat('ada', { subscribesTo: ['*'] })] }],
  ])('%s is refused before the first append', async (_what, scenarioChange) => {
    const agents = ['ada', 'bo', 'watcher', 'judge'].map((name) => talker(name));
    const parts = options(CAST, agents, { scenarioChange });
    await expect(createEnsemble(parts)).rejects.toMatchObject({ code: 'invalid-option' });
    expect(await eventsOf(parts.ledger)).toEqual([]);
  });

  it('inserts its seed into the first scene unchanged', async () => {
    const parts = options(
      CAST,
      CAST.map(({ name }) => talker(name)),
      {
        limits: { turns: 0 },
        scenarioChange: { seed: '$& {seed}', genesisText: '{seed} and {seed}' },
      },
    );
    await (await createEnsemble(parts)).run();
    expect((await eventsOf(parts.ledger))[1]?.payload).toEqual({ text: '$& {seed} and $& {seed}' });
  });
});

it.each([1, 2])('symmetric seats take turns in going first, at an interval of %i', async (tickEvery) => {
  const cast = [seat('ada', { tickEvery }), seat('watcher', { tickEvery }), seat('bo', { tickEvery })];
  const parts = options(
    cast,
    cast.map(({ name }) => talker(name)),
    {
      limits: { turns: 3 * tickEvery },
      scenarioChange: { competition: { kind: 'judged', symmetricSeats: ['ada', 'bo'] } },
    },
  );
  await (await createEnsemble(parts)).run();
  const speakers = (await eventsOf(parts.ledger)).flatMap(({ kind, actor }) =>
    kind === 'agent.spoke' ? actor : [],
  );
  const [one, other] = [
    ['ada', 'watcher', 'bo'],
    ['bo', 'watcher', 'ada'],
  ];
  expect(speakers).toEqual([...one, ...other, ...one]);
});
