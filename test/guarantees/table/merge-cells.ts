/** Cells of the route `merge`: calls of `merge()` with branches of agents, and batches that land by it. */
import type { Cell, GuaranteeId } from './guarantees.ts';

/** Cells of guarantees that are not about agents and models alone. */
const MERGE_CELLS: Partial<Readonly<Record<GuaranteeId, Cell>>> = {
  B3: { held: 'refuses a mistyped option, also inside another, and merges nothing' },
  C2: { held: 'masks a declared secret that the check prints' },
  C5: { held: 'names a changed configuration in the result' },
  C8: { held: 'refuses to merge a declared secret' },
  D3: { held: 'finishes or undoes a merge that was killed' },
  D10: { held: 'reports the merge, and warns about a branch that could not be deleted' },
  D7: { held: 'lands nothing that fails the check on the merged files' },
};
const ASKS_NOTHING: Cell = { notApplicable: 'It starts no agent and asks no model.' };

/** Returns the cell of a guarantee. */
export function mergeCell(id: GuaranteeId): Cell {
  return MERGE_CELLS[id] ?? ASKS_NOTHING;
}
