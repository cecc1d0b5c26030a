/** Cells of the guarantees about errors whose tests are written: causes and next steps. */
import type { AskingRoute, Cell, GuaranteeId } from './guarantees.ts';

type ErrorId = Extract<GuaranteeId, 'B1' | 'B2'>;

const MODEL: Cell = { held: 'names refusals and failed connections, and waits for a server that loads' };
const AGENT: Cell = { held: 'names the error of a crash, and why the model cannot be reached' };
const COUNTED: Cell = { held: 'names the path, the value, three attempts and the next step' };

/** Cells of B1 and B2. */
export const ERROR_CELLS: Readonly<Record<ErrorId, Readonly<Record<AskingRoute, Cell>>>> = {
  B1: {
    'run/none': { held: 'names the error of a crash' },
    'run/bubblewrap': AGENT,
    'run/podman': AGENT,
    kept: AGENT,
    batch: AGENT,
    generate: MODEL,
    ensemble: MODEL,
    chat: MODEL,
    wire: MODEL,
    command: {
      held: 'names the error of a crash, refusals and failed connections, and waits for a server that loads',
    },
  },
  B2: {
    'run/none': COUNTED,
    'run/bubblewrap': COUNTED,
    'run/podman': COUNTED,
    kept: COUNTED,
    batch: COUNTED,
    generate: COUNTED,
    ensemble: { held: 'names the field, the answer, the attempts and the next step' },
    chat: { held: 'names the path, the rule, the attempts and the next step, and keeps the refused answer' },
    wire: { held: 'names the path, the rule, the attempts and the next step, without a value in logs' },
    command: { held: 'names the path, the value, three attempts and the flag' },
  },
};
