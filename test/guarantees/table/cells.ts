/** Cells: the state of each guarantee on each route. A missing cell is a type error. */
import { ANSWER_CELLS } from './answer-cells.ts';
import { CONFINEMENT_CELLS } from './confinement-cells.ts';
import { DURABILITY_CELLS } from './durability-cells.ts';
import { ENGINE_CELLS } from './engine-cells.ts';
import { ERROR_CELLS } from './error-cells.ts';
import type { AskingRoute, Cell, GuaranteeId, Route } from './guarantees.ts';
import { LATER_CELLS } from './later-cells.ts';
import { mergeCell } from './merge-cells.ts';
import { runCell } from './run-cells.ts';

const ASKING_CELLS: Readonly<Record<GuaranteeId, Readonly<Record<AskingRoute, Cell>>>> = {
  ...ANSWER_CELLS,
  ...LATER_CELLS,
  ...CONFINEMENT_CELLS,
  ...DURABILITY_CELLS,
  ...ERROR_CELLS,
  ...ENGINE_CELLS,
};

/** The whole table. */
export const CELLS: Readonly<Record<GuaranteeId, Readonly<Record<Route, Cell>>>> = mapValues(
  ASKING_CELLS,
  (cells, id) => ({ ...cells, merge: mergeCell(id), runs: runCell(id) }),
);

/** Converts the value of each guarantee. */
function mapValues<TValue, TResult>(
  values: Readonly<Record<GuaranteeId, TValue>>,
  convert: (value: TValue, id: GuaranteeId) => TResult,
): Readonly<Record<GuaranteeId, TResult>> {
  const ids = Object.keys(values) as GuaranteeId[];
  // Each id of the record has an entry.
  return Object.fromEntries(ids.map((id) => [id, convert(values[id], id)])) as Record<GuaranteeId, TResult>;
}
