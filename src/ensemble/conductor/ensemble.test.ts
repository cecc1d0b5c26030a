/** Holds the engine to its order, its gate, and its one end. */
import { describe, expect, it } from 'vitest';
import { createEnsemble } from './ensemble.ts';
import { eventsOf, linesOf, options, seat, talker } from './test-ensemble.ts';

const said = (lines: readonly string[]): string[] => lines.filter((line) => !line.includes('model.called'));

describe('the order of a turn', () => {
  it('asks the scheduled members in the order of the cast', async () => {
    const cast = ['c', 'a', 'b'].map((name) => seat(name));
    const parts = options(
      cast,
      cast.map(({ name }) => talker(name)),
      { limits: { turns: 2 } },
    );
    const ensemble = await createEnsemble(parts);
    const { state, end } = await ensemble.run();
    expect(said(linesOf(await eventsOf(parts.ledger)))).toEqual([
      '0 conductor run.started',
      '0 conductor world.observed',
      '1 c agent.spoke',
      '1 a agent.spoke',
      '1 b agent.spoke',
      '2 c agent.spoke',
      '2 a agent.spoke',
      '2 b agent.spoke',
      '2 conductor run.closing',
      '2 conductor run.finished',
    ]);
    expect({ state, end }).toMatchObject({
      state: 'finished',
      end: { reason: 'turns', turns: 2, winner: null },
    });
  });
});
