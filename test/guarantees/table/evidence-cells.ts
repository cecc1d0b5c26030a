/** Cells of kept evidence and of reported usage. */
import type { AskingRoute, Cell } from './guarantees.ts';

const RECORDED =
  'records NUL exactly, and keeps the refused answer with half of a surrogate pair and its path';
const LEDGER = 'stores an event with NUL and half a surrogate pair exactly';
const ASKED = 'shows the model the path of half a surrogate pair, and accepts NUL';
const EVIDENCE = 'keeps the submission with half a surrogate pair, shows the model its path, and accepts NUL';
const AGENT_USAGE = 'has no usage without a report, and warns that a budget does not include the turn';
const STOPPED = 'has no usage without a report, and makes no second call with a budget';
const QUOTA = 'has no usage without a report, and logs that a quota does not include the calls';

/** Cells of answers that cannot be stored (A7). */
export const KEPT_EVIDENCE_CELLS: Readonly<Record<AskingRoute, Cell>> = {
  'run/none': { held: RECORDED },
  'run/bubblewrap': { held: RECORDED },
  'run/podman': { held: RECORDED },
  kept: { held: RECORDED },
  batch: { held: RECORDED },
  generate: { held: ASKED },
  ensemble: { held: LEDGER },
  chat: { held: EVIDENCE },
  wire: { held: ASKED },
  command: { held: 'asks for whole characters once more, and stores a repeated event exactly' },
};

/** Cells of usage that is not reported (B4). */
export const REPORTED_USAGE_CELLS: Readonly<Record<AskingRoute, Cell>> = {
  'run/none': { held: AGENT_USAGE },
  'run/bubblewrap': { held: AGENT_USAGE },
  'run/podman': { held: AGENT_USAGE },
  kept: { held: AGENT_USAGE },
  batch: { held: AGENT_USAGE },
  generate: { held: STOPPED },
  ensemble: { held: STOPPED },
  chat: { held: QUOTA },
  wire: { held: QUOTA },
  command: { held: STOPPED },
};
