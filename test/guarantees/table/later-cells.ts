/** Cells of the guarantees whose common tests are not written: answers, errors, load. */
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
  A1: EVERYWHERE,
  A2: EVERYWHERE,
  A3: EVERYWHERE,
  A4: EVERYWHERE,
  A5: EVERYWHERE,
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
