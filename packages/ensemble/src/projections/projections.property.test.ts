/** Property: no fold throws on any event, and later events do not change a returned view. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextStep } from '../conductor/next-step.ts';
import { RunState } from '../conductor/run-state.ts';
import { FOUR } from '../conductor/test-four.ts';
import { runLimits } from '../governor/run-limits.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { foldCompliance } from './compliance.ts';
import type { Fold } from '../ledger/fold.ts';
import { leaderboardOf } from './leaderboard.ts';
import { foldRunIndex } from '../ledger/run-index.ts';
import { foldStage } from './stage.ts';

const KINDS = [
  'run.started',
  'run.closing',
  'run.finished',
  'world.observed',
  'agent.spoke',
  'agent.thought',
  'agent.reflected',
  'agent.failed',
  'agent.skipped',
  'agent.abstained',
  'judge.verdict',
  'user.injected',
  'model.called',
  'clue.found',
];
const NAMES = ['conductor', 'visitor', 'ada', 'bo', 'cy', 'judge', 'zed', '__proto__'];
const FIELDS = [
  'text',
  'agent',
  'seed',
  'goal',
  'cast',
  'winner',
  'winners',
  'no_contest',
  'usage',
  'code',
  'competition',
  'constructor',
];

const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true });
const name = fc.constantFrom(...NAMES);
const payload = fc.oneof(
  fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(anything, fc.string(), name)),
  anything,
);

/** An event of a damaged ledger: a typed envelope with arbitrary contents. */
const event: fc.Arbitrary<LedgerEvent> = fc
  .record({
    id: fc.uuid(),
    runId: fc.constantFrom('run-1', 'run-2'),
    offset: fc.nat(),
    turn: fc.oneof(fc.nat(9), fc.constant(2 ** 40)),
    kind: fc.constantFrom(...KINDS),
    actor: name,
    payload,
    createdAt: fc.oneof(fc.constant('2026-01-01T00:00:00.000Z'), fc.string()),
    model: fc.option(fc.string(), { nil: undefined }),
    causedBy: fc.option(fc.string(), { nil: undefined }),
    provenance: fc.option(anything, { nil: undefined }),
  })
  .map((made) => ({ schemaVersion: 1, ...made }) as unknown as LedgerEvent);

const FOLDS: Readonly<Record<string, () => Fold<unknown>>> = {
  stage: foldStage,
  'run index': foldRunIndex,
  compliance: foldCompliance,
};

describe.each(Object.entries(FOLDS))('the fold of the %s', (_name, makeFold) => {
  it('never throws, and returns the same view step by step as at once', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const stepwise = makeFold();
        const views: [unknown, string][] = [];
        for (const given of events) {
          stepwise.apply(given);
          views.push([stepwise.read(), JSON.stringify(stepwise.read())]);
        }
        const atOnce = makeFold();
        for (const given of events) atOnce.apply(given);
        expect(stepwise.read()).toEqual(atOnce.read());
        for (const [view, asItWas] of views) expect(JSON.stringify(view)).toBe(asItWas);
      }),
    );
  });
});

describe('the leaderboard', () => {
  it('never throws, and never has more wins than plays', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const index = foldRunIndex();
        for (const given of events) index.apply(given);
        const { models, agents } = leaderboardOf(index.read());
        for (const { plays, wins } of [...models, ...agents]) expect(wins).toBeLessThanOrEqual(plays);
      }),
    );
  });
});

describe('the state of a run', () => {
  const scenario = {
    name: 'harbour',
    goal: 'g',
    seed: 's',
    genesisText: 'x',
    cast: FOUR,
    competition: { kind: 'judged' },
  } as const;

  it('is known after any events, and so is the next step', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const state = new RunState(scenario, runLimits());
        for (const given of events) {
          state.apply(given);
          expect(nextStep(state, 0).type).toBeTypeOf('string');
          for (const view of state.views.values()) expect(view.visible().length).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});
