/** Cells: the state of each guarantee on each route. A missing cell is a type error. */
import { ANSWER_CELLS } from './answer-cells.ts';
import { CONFINEMENT_CELLS } from './confinement-cells.ts';
import { DURABILITY_CELLS } from './durability-cells.ts';
import { ENGINE_CELLS } from './engine-cells.ts';
import { ERROR_CELLS } from './error-cells.ts';
import type { Cell, GuaranteeId, Route } from './guarantees.ts';
import { LATER_CELLS } from './later-cells.ts';

/** The whole table. */
export const CELLS: Readonly<Record<GuaranteeId, Readonly<Record<Route, Cell>>>> = {
  ...ANSWER_CELLS,
  ...LATER_CELLS,
  ...CONFINEMENT_CELLS,
  ...DURABILITY_CELLS,
  ...ERROR_CELLS,
  ...ENGINE_CELLS,
};
