/** Cells of the route `runs`: agent runs of a server, from their request to their receipt. */
import type { Cell, GuaranteeId } from './guarantees.ts';

const NO_MERGE: Cell = { notApplicable: 'The server merges no branch.' };

/** Cells of what a request, its run and its receipt hold. */
const RUN_CELLS: Partial<Readonly<Record<GuaranteeId, Cell>>> = {
  A0: { held: 'gives the verdict of the table on text between tags' },
  A1: { held: 'takes no part of a broken answer, no draft before one, and not the schema' },
  A2: { held: 'accepts the answer of a call whose final event lacks it, and in an envelope' },
  A3: { held: 'accepts a closed answer before a cut end, and no open one' },
  A4: {
    notApplicable:
      'The last closed tag is the answer by definition. A schema mode reports one value, and the answer tool takes no call after an accepted one.',
  },
  A5: { held: 'refuses the schema, and creates no run' },
  A7: { held: 'stores NUL exactly, and the receipt has the path of half a surrogate pair' },
  A8: { notApplicable: 'The agent has its own loop and its own tools.' },
  A9: { notApplicable: 'It has no loop over elements.' },
  B1: { held: 'names the error of a crash' },
  B2: { held: 'names the field, the place and the next step, and of a state the transition' },
  B3: { held: 'refuses an unknown member by name, also of the limits, and creates no run' },
  B4: { held: 'has no usage in the receipt, and warns that a limit does not count the turn' },
  C1: { held: 'keeps the end of 12 MB of output in the receipt, and the whole of a value of 256 KiB' },
  C2: { held: 'masks the credential of a repository, and leaves its address out' },
  C3: { held: 'starts no further turn after the limit' },
  C4: { held: 'takes the name of a repository, and no path' },
  C5: { notApplicable: 'The server merges no branch. People review the branch of a run.' },
  C6: { held: 'refuses a `.truecast/.env` that git tracks' },
  C7: { held: 'leaves no setuid file' },
  C8: { held: 'pushes no branch with a declared secret' },
  C9: { notApplicable: 'A request attaches no file.' },
  C10: { notApplicable: 'It gives no function to a coding agent.' },
  D1: { held: 'keeps and reports commits beside the branch' },
  D2: { held: 'leaves a checkout with `core.worktree` alone' },
  D3: { held: 'continues the run of a killed worker, whose late end is refused' },
  D4: { held: 'leaves out a session of 40 MB with a warning' },
  D5: { notApplicable: '`truecast runs` is a command.' },
  D6: { held: 'ends a run whose row cannot be read, and starts the next one' },
  D7: { notApplicable: 'A request has no check, and the server merges no branch.' },
  D8: { held: 'merges nothing after a question or a refusal, and keeps the commits' },
  D9: { held: 'leaves no commit, no branch and no worktree, also of a run that fails' },
  D10: NO_MERGE,
  D11: { held: 'continues after a kill in the session of the agent, with all commits' },
  E1: { held: 'starts the one run of an owner before the next one of a hundred' },
  E2: { held: 'keeps a bounded number of events, and the receipt after them' },
  E3: { held: 'refuses an answer of 110,000 members before it is parsed' },
  E4: { held: 'gives each member of the request to the worker' },
  F8: {
    held: 'the instructions for a tag name the type, and a reply that repeats them is not an answer',
  },
};
/** Guarantees of modes, tools and engines of a model. */
const OF_ITS_CLI: Cell = { notApplicable: 'The CLI of the agent chooses how it asks its service.' };

/** Returns the cell of a guarantee. */
export function runCell(id: GuaranteeId): Cell {
  return RUN_CELLS[id] ?? OF_ITS_CLI;
}
