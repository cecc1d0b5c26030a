/** Cells of the guarantees about odd schemas, evidence, options, usage and load. */
import { IMPOSSIBLE_SCHEMA_CELLS, UNKNOWN_OPTION_CELLS } from './early-cells.ts';
import { KEPT_EVIDENCE_CELLS, REPORTED_USAGE_CELLS } from './evidence-cells.ts';
import type { AskingRoute, Cell, GuaranteeId } from './guarantees.ts';
import { LOOP_CELLS, MEMORY_CELLS } from './load-cells.ts';

type LaterId = Exclude<Extract<GuaranteeId, 'A5' | 'A6' | 'A7' | `B${string}` | `E${string}`>, 'B1' | 'B2'>;

/** A coding agent asks its service itself. */
const OF_AGENT: Cell = { notApplicable: 'The CLI of the agent chooses how it asks its service.' };

/** Only a server has several owners. */
const OF_CALLER: Cell = {
  notApplicable: 'Has one caller, who sets its own limits. Only a server shares models and places.',
};

/** Requests come from other programs only over HTTP. */
const OF_OPTIONS: Cell = {
  notApplicable: 'No request of another program. Unknown options are refused (B3).',
};

/** Cells of answers (A), errors (B) and load (E). */
export const LATER_CELLS: Readonly<Record<LaterId, Readonly<Record<AskingRoute, Cell>>>> = {
  A5: IMPOSSIBLE_SCHEMA_CELLS,
  A6: {
    'run/none': OF_AGENT,
    'run/bubblewrap': OF_AGENT,
    'run/podman': OF_AGENT,
    kept: OF_AGENT,
    batch: OF_AGENT,
    generate: { held: 'asks by the next mode, and at once the next time' },
    ensemble: { held: 'asks by the next mode, and at once the next time' },
    chat: { held: 'asks by the next mode, and at once the next time' },
    wire: { held: 'asks by the next mode, and at once the next time' },
    command: { held: 'asks by the next mode' },
  },
  A7: KEPT_EVIDENCE_CELLS,
  B3: UNKNOWN_OPTION_CELLS,
  B4: REPORTED_USAGE_CELLS,
  E1: {
    'run/none': OF_CALLER,
    'run/bubblewrap': OF_CALLER,
    'run/podman': OF_CALLER,
    kept: OF_CALLER,
    batch: OF_CALLER,
    generate: OF_CALLER,
    ensemble: OF_CALLER,
    chat: {
      held: 'answers an owner while another fails, after a short rate limit, and without a free place',
    },
    wire: { held: 'answers an owner while another fails, and after a short rate limit' },
    command: OF_CALLER,
  },
  E2: MEMORY_CELLS,
  E3: LOOP_CELLS,
  E4: {
    'run/none': OF_AGENT,
    'run/bubblewrap': OF_AGENT,
    'run/podman': OF_AGENT,
    kept: OF_AGENT,
    batch: OF_AGENT,
    generate: OF_OPTIONS,
    ensemble: OF_OPTIONS,
    chat: { held: 'refuses what it does not know by name, and sends a picture' },
    wire: { held: 'sends tools of each form and files of outputs, and names what it does not use' },
    command: OF_OPTIONS,
  },
};
