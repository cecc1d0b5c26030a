/** Cells of the route `runs`: agent runs of a server, from their request to their receipt. */
import type { Cell, GuaranteeId } from './guarantees.ts';

/** Cells of what the server does around the agent. */
const RUN_CELLS: Partial<Readonly<Record<GuaranteeId, Cell>>> = {
  A5: { held: 'refuses the schema, and creates no run' },
  B2: { held: 'names the field, the place and the next step, and of a state the transition' },
  B3: { held: 'refuses an unknown member by name, also of the limits, and creates no run' },
  C2: { held: 'masks the credential of a repository, and leaves its address out' },
  C4: { held: 'takes the name of a repository, and no path' },
  D3: { held: 'continues the run of a killed worker, whose late end is refused' },
  D5: { notApplicable: '`truecast runs` is a command.' },
  D6: { held: 'ends a run whose row cannot be read, and starts the next one' },
  E1: { held: 'starts the one run of an owner before the next one of a hundred' },
  E2: { held: 'keeps a bounded number of events, and the receipt after them' },
  E3: { notApplicable: 'Its routes read bodies and schemas as those of chats do.' },
  E4: { held: 'gives each member of the request to the worker' },
};
/** Guarantees of modes, tools and engines of a model. */
const ASKS_NO_MODEL: Cell = { notApplicable: 'It asks no model itself.' };
const STARTS_RUN: Cell = {
  notApplicable: 'Its worker starts `run({ id })` in a sandbox: the cells of `run/…` hold it.',
};

/** Returns the cell of a guarantee. */
export function runCell(id: GuaranteeId): Cell {
  const isOfModels = id.startsWith('F') || id === 'A4' || id === 'A6' || id === 'A8' || id === 'A9';
  return RUN_CELLS[id] ?? (isOfModels ? ASKS_NO_MODEL : STARTS_RUN);
}
