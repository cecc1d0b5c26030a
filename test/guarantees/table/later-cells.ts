/** Cells of the guarantees whose common tests are not written: answers, errors, load. */
import { IMPOSSIBLE_SCHEMA_CELLS } from './early-cells.ts';
import type { Cell, GuaranteeId, Route } from './guarantees.ts';

type LaterId = Extract<GuaranteeId, `A${string}` | `B${string}` | `E${string}`>;

const LATER: Cell = { planned: 'no test runs the same input on each of them yet.' };

const EVERYWHERE: Readonly<Record<Route, Cell>> = {
  'run/none': LATER,
  'run/bubblewrap': LATER,
  'run/podman': LATER,
  kept: LATER,
  batch: LATER,
  generate: LATER,
  ensemble: LATER,
  chat: LATER,
  wire: LATER,
  command: LATER,
};

/** Cells of answers (A), errors (B) and load (E). */
export const LATER_CELLS: Readonly<Record<LaterId, Readonly<Record<Route, Cell>>>> = {
  A0: EVERYWHERE,
  A1: {
    ...EVERYWHERE,
    generate: { held: 'takes no part of a broken answer, no draft before one, and not the schema' },
    ensemble: { held: 'takes no part of a broken answer, no draft before one, and not the schema' },
    chat: { held: 'takes no part of a broken answer, no draft before one, and not the schema' },
    wire: { held: 'takes no part of a broken answer, no draft before one, and not the schema' },
  },
  A2: {
    ...EVERYWHERE,
    generate: { held: 'accepts the answer as text, in a fence and as reasoning, in one call' },
    chat: { held: 'accepts the answer as text, in a fence and as reasoning, in one call' },
    wire: { held: 'accepts the answer as text, in a fence and as reasoning, in one call' },
  },
  A3: {
    ...EVERYWHERE,
    generate: { held: 'accepts a complete answer at the output limit, and none that is withheld' },
    ensemble: { held: 'accepts a complete answer at the output limit, and none that is withheld' },
    chat: { held: 'accepts a complete answer at the output limit, and none that is withheld' },
    wire: { held: 'accepts a complete answer at the output limit, and none that is withheld' },
  },
  A4: {
    ...EVERYWHERE,
    generate: { held: 'refuses two different submissions in one reply' },
    chat: { held: 'refuses two different submissions in one reply' },
    wire: { held: 'refuses two different submissions in one reply' },
  },
  A5: IMPOSSIBLE_SCHEMA_CELLS,
  A6: EVERYWHERE,
  A7: EVERYWHERE,
  B1: EVERYWHERE,
  B2: EVERYWHERE,
  B3: EVERYWHERE,
  B4: EVERYWHERE,
  E1: EVERYWHERE,
  E2: EVERYWHERE,
  E3: EVERYWHERE,
  E4: EVERYWHERE,
};
