/** Property: any cast, interrupted anywhere, gives the same ledger and stays within its limits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import type { AgentAct, AgentTurn, EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { memoryLedger } from '../ledger/memory-ledger.ts';
import type { CastMember } from '../scenario/ensemble-scenario.ts';
import { createEnsemble, type EnsembleOptions, resumeEnsemble } from './ensemble.ts';
import { player, breakingLedger, charge, eventsOf, options, speaks, seat, storyOf } from './test-ensemble.ts';

const NAMES = ['ada', 'bo', 'cy', 'di'];
const KINDS = ['agent.spoke', 'agent.thought', 'clue.found'];
const RUN = { runId: 'run-1' };

/** A deterministic behaviour: the act depends on the turn alone. */
const WAYS: readonly ((turn: AgentTurn, name: string) => AgentAct | Promise<AgentAct>)[] = [
  ({ visible }) => speaks(`saw ${visible.length}`),
  ({ cause }) => speaks(cause?.kind ?? 'on time', 'agent.thought'),
  ({ unreflected }) => speaks(`${unreflected}`, 'clue.found', { mood: unreflected % 2 === 0 }),
  () => ({ type: 'abstained' }),
  ({ turn }) => Promise.reject(new RangeError(`stumbles in ${turn}`)),
  async (turn, name) => {
    await charge(turn);
    return speaks(`${name} paid`);
  },
  ({ unreflected }) => speaks(`after ${unreflected}`, 'agent.reflected'),
];

interface Play {
  readonly cast: readonly CastMember[];
  readonly salt: number;
  readonly callsPerTurn: number;
  readonly cascade: number;
  readonly cuts: readonly number[];
}

const subscription = fc.oneof(
  fc.constantFrom(...KINDS, 'agent.failed', 'agent.reflected'),
  fc.record({ kind: fc.constant('clue.found'), when: fc.record({ mood: fc.boolean() }) }),
);

const member = (name: string): fc.Arbitrary<CastMember> =>
  fc
    .record({
      tickEvery: fc.constantFrom(null, 0, 1, 2, 3),
      maxConsecutive: fc.integer({ min: 1, max: 3 }),
      subscribesTo: fc.array(subscription, { maxLength: 3 }),
      memory: fc.record({ window: fc.nat(6) }),
    })
    .map((schedule) => seat(name, { ...schedule, mayEmit: KINDS }));

const play: fc.Arbitrary<Play> = fc.record({
  cast: fc
    .integer({ min: 1, max: 4 })
    .chain((size) => fc.tuple(...NAMES.slice(0, size).map((name) => member(name)))),
  salt: fc.nat(),
  callsPerTurn: fc.integer({ min: 1, max: 3 }),
  cascade: fc.integer({ min: 1, max: 4 }),
  cuts: fc.array(fc.nat(12), { maxLength: 4 }),
});

function agentsOf({ cast, salt }: Play): readonly EnsembleAgent[] {
  return cast.map(({ name }, place) =>
    player(name, (turn) => {
      const way =
        (salt + turn.turn * 31 + place * 17 + (turn.cause?.payload['text'] === undefined ? 0 : 7)) %
        WAYS.length;
      return WAYS[way]?.(turn, name) ?? { type: 'abstained' };
    }),
  );
}

function partsOf(given: Play): EnsembleOptions {
  const limits = {
    turns: 8,
    consecutiveFailures: 1000,
    callsPerTurn: given.callsPerTurn,
    cascade: given.cascade,
  };
  return options(given.cast, agentsOf(given), { limits, ledger: memoryLedger({ cast: given.cast }) });
}

/** Plays until the end, or until no member is due. */
async function playOn(parts: EnsembleOptions): Promise<void> {
  const { state } = await (await resumeOrCreate(parts)).run();
  expect(['finished', 'waiting']).toContain(state);
}

async function resumeOrCreate(parts: EnsembleOptions): ReturnType<typeof createEnsemble> {
  const isBegun = (await eventsOf(parts.ledger)).length > 0;
  return await (isBegun ? resumeEnsemble({ ...parts, ...RUN }) : createEnsemble(parts));
}

async function played(given: Play): Promise<LedgerEvent[]> {
  const parts = partsOf(given);
  await playOn(parts);
  return await eventsOf(parts.ledger);
}

describe('any cast', () => {
  it('produces the same ledger if it is interrupted anywhere, repeatedly', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(play, async (given) => {
        const parts = partsOf(given);
        for (const [index, appends] of given.cuts.entries()) {
          await playOn({ ...parts, ledger: breakingLedger(parts.ledger, appends, index % 2 === 0) }).catch(
            () => undefined,
          );
        }
        await playOn(parts);
        expect(storyOf(await eventsOf(parts.ledger))).toEqual(storyOf(await played(given)));
      }),
      { numRuns: matrixRuns(50, 300) },
    );
  });

  it(
    'keeps each member to its events in a row, and each turn to its cascade',
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(play, async (given) => {
          const events = await played(given);
          const speakers = events.filter(({ actor }) => actor !== 'conductor').map(({ actor }) => actor);
          for (const { name, maxConsecutive } of given.cast) {
            const tooMany = Array.from({ length: maxConsecutive + 1 }, () => name).join(' ');
            expect(` ${speakers.join(' ')} `).not.toContain(` ${tooMany} `);
          }
          const outcomes = events.filter(
            ({ kind, causedBy }) => kind !== 'model.called' && causedBy !== undefined,
          );
          for (let turn = 1; turn <= 8; turn += 1) {
            expect(outcomes.filter((event) => event.turn === turn).length).toBeLessThanOrEqual(given.cascade);
          }
        }),
        { numRuns: matrixRuns(35, 200) },
      );
    },
  );
});
