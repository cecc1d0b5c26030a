/** Views of the projections. */
import { describe, expect, it } from 'vitest';
import type { EventProvenance, LedgerEvent } from '../ledger/ledger-event.ts';
import { type ComplianceRow, foldCompliance } from './compliance.ts';
import { leaderboardOf } from './leaderboard.ts';
import { foldRunIndex } from '../ledger/run-index.ts';
import { foldStage } from './stage.ts';

let offset = 0;

function event(
  kind: string,
  payload: LedgerEvent['payload'],
  change: Partial<LedgerEvent> = {},
): LedgerEvent {
  offset += 1;
  const createdAt = '2026-01-01T00:00:00.000Z';
  return {
    id: `e${offset}`,
    runId: 'r',
    offset,
    turn: 1,
    kind,
    actor: 'bo',
    payload,
    createdAt,
    schemaVersion: 1,
    ...change,
  };
}

describe('the stage', () => {
  it('shows the newest of each, and nothing private', () => {
    const stage = foldStage();
    stage.apply(event('run.started', { seed: 'fog', goal: 'Find it.' }, { actor: 'conductor' }));
    expect(stage.read()).toMatchObject({ seed: 'fog', goal: 'Find it.', scene: 'Find it.' });
    stage.apply(event('world.observed', { text: 'A pier.' }, { actor: 'conductor' }));
    for (let index = 0; index < 10; index += 1) stage.apply(event('agent.spoke', { text: `line ${index}` }));
    stage.apply(event('agent.thought', { text: 'secret' }));
    stage.apply(event('agent.reflected', { text: 'belief' }));
    stage.apply(event('clue.found', { text: 'a glove' }));
    stage.apply(event('clue.found', { where: 'no text' }));
    stage.apply(
      event('agent.failed', { agent: 'bo', code: 'x', message: 'm', text: 'no' }, { actor: 'conductor' }),
    );
    stage.apply(
      event(
        'judge.verdict',
        { text: 'Bo it is.', mood: 'stern', thought: 'Hm.', scores: {} },
        { actor: 'judge' },
      ),
    );
    stage.apply(event('user.injected', { text: 'Rain!' }, { actor: 'visitor' }));
    const { scene, notes, verdicts, injected } = stage.read();
    expect(scene).toBe('A pier.');
    expect(notes.map(({ text }) => text)).toEqual(
      [3, 4, 5, 6, 7, 8, 9].map((line) => `line ${line}`).concat('a glove'),
    );
    expect(verdicts).toEqual([
      { turn: 1, actor: 'judge', kind: 'judge.verdict', text: 'Bo it is.', fields: { mood: 'stern' } },
    ]);
    expect(injected.map(({ text }) => text)).toEqual(['Rain!']);
  });
});

describe('the leaderboard', () => {
  it('counts plays and wins of players alone, a model once a run', () => {
    const index = foldRunIndex();
    const cast = {
      ada: { model: 'big', role: 'worker' },
      bo: { model: 'small', role: 'worker' },
      cy: { model: 'small', role: 'worker' },
      judge: { model: 'wise', role: 'judge' },
      watcher: { model: 'idle', role: 'observer' },
    };
    const play = (
      runId: string,
      kind: string,
      winners: readonly string[],
      models: readonly string[],
    ): void => {
      const payload = { seed: '', goal: '', scenario: 's', cast, competition: { kind } };
      index.apply(event('run.started', payload, { runId }));
      const winner = winners[0] ?? null;
      index.apply(
        event('run.finished', { reason: 'verdict', winner, winners, winning_models: models }, { runId }),
      );
    };
    play('1', 'judged', ['ada'], ['big']);
    play('2', 'judged', ['bo', 'cy'], ['small']);
    play('3', 'judged', ['bo'], ['small']);
    play('4', 'judged', [], []);
    play('5', 'none', ['ada'], ['big']);
    index.apply(
      event('run.started', { scenario: 's', cast, competition: { kind: 'judged' } }, { runId: '6' }),
    );
    expect(leaderboardOf(index.read())).toEqual({
      models: [
        { name: 'small', plays: 3, wins: 2, rate: 2 / 3 },
        { name: 'big', plays: 3, wins: 1, rate: 1 / 3 },
      ],
      agents: [
        { name: 'bo', plays: 3, wins: 2, rate: 2 / 3 },
        { name: 'ada', plays: 3, wins: 1, rate: 1 / 3 },
        { name: 'cy', plays: 3, wins: 1, rate: 1 / 3 },
      ],
    });
  });
});

describe('compliance', () => {
  const validated: EventProvenance = { path: 'validated', rung: 'validated', attempts: 1 };
  const prompted: EventProvenance = { path: 'prompted', rung: 'prompted', attempts: 0, tier: 'strict' };
  const violation = { field: '', got: '' } as const;

  it.each<[string, EventProvenance, LedgerEvent['payload'], readonly string[]]>([
    ['a validated answer at once', validated, {}, ['validOnFirstTry']],
    ['a prompted answer in strict JSON', prompted, {}, ['validOnFirstTry']],
    ['an answer found in prose', { ...prompted, tier: 'embedded' }, {}, []],
    ['a second validated try', { ...validated, attempts: 2 }, {}, ['reAsked']],
    ['a winner asked for again', { ...validated, winnerReAsked: true }, {}, ['reAsked']],
    [
      'an answer read out of failed text',
      { ...validated, rung: 'received', attempts: 3, tier: 'strict' },
      {},
      ['reAsked'],
    ],
    [
      'a prompted call after the validated one',
      { ...validated, rung: 'prompted', tier: 'strict' },
      {},
      ['reAsked'],
    ],
    [
      'mended text',
      { ...prompted, tier: 'repaired', repairs: [{ kind: 'quotes', path: [] }] },
      {},
      ['repaired'],
    ],
    [
      'a mended kind',
      { ...prompted, repairs: [{ kind: 'kind-spelling', path: ['kind'] }] },
      {},
      ['repaired'],
    ],
    [
      'a kind that was not granted',
      {
        ...prompted,
        requestedKind: 'judge.verdict',
        violations: [{ code: 'kind-not-granted', ...violation }],
      },
      {},
      ['coerced'],
    ],
    [
      'a kind that was missing',
      { ...prompted, violations: [{ code: 'kind-missing', ...violation }] },
      {},
      ['coerced'],
    ],
    [
      'a field of the wrong type',
      { ...prompted, violations: [{ code: 'wrong-type', ...violation }] },
      {},
      [],
    ],
    ['raw words', { path: 'prompted', rung: 'raw', attempts: 0, tier: 'raw' }, {}, ['raw']],
    [
      'no contest',
      { ...validated, winnerReAsked: true },
      { no_contest: { reason: 'x' } },
      ['noContest', 'reAsked'],
    ],
  ])('counts %s', (_what, provenance, payload, counted) => {
    const compliance = foldCompliance();
    compliance.apply(event('agent.spoke', { text: 'x', ...payload }, { provenance, model: 'm' }));
    const [row] = compliance.read();
    const counts = Object.entries(row ?? {}).filter(([name, count]) => count === 1 && name !== 'answers');
    expect(counts.map(([name]) => name).sort()).toEqual([...counted].sort());
    expect(row).toMatchObject({ agent: 'bo', model: 'm', kind: 'agent.spoke', answers: 1 });
  });

  it('counts per agent, model and kind, and attributes a skipped turn to its agent', () => {
    const compliance = foldCompliance();
    const raw: EventProvenance = { path: 'prompted', rung: 'raw', attempts: 0, tier: 'raw' };
    compliance.apply(event('agent.spoke', { text: 'x' }, { provenance: prompted, model: 'm' }));
    compliance.apply(event('agent.spoke', { text: 'x' }, { provenance: prompted, model: 'm' }));
    compliance.apply(event('agent.spoke', { text: 'x' }, { provenance: prompted, model: 'n' }));
    compliance.apply(event('clue.found', { text: 'x' }, { provenance: prompted, model: 'm' }));
    compliance.apply(event('agent.spoke', { text: 'x' }, { provenance: prompted, model: 'm', actor: 'cy' }));
    compliance.apply(
      event(
        'agent.skipped',
        { agent: 'bo', reason: 'no-text', tier: 'raw' },
        { provenance: raw, model: 'm', actor: 'conductor' },
      ),
    );
    compliance.apply(event('user.injected', { text: 'x' }, { actor: 'visitor' }));
    const shown = ({ agent, model, kind, answers, validOnFirstTry, skipped }: ComplianceRow): unknown[] => [
      agent,
      model,
      kind,
      answers,
      validOnFirstTry,
      skipped,
    ];
    expect(compliance.read().map(shown)).toEqual([
      ['bo', 'm', 'agent.spoke', 2, 2, 0],
      ['bo', 'n', 'agent.spoke', 1, 1, 0],
      ['bo', 'm', 'clue.found', 1, 1, 0],
      ['cy', 'm', 'agent.spoke', 1, 1, 0],
      ['bo', 'm', 'agent.skipped', 1, 0, 1],
    ]);
  });
});
