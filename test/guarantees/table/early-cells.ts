/** Cells of the guarantees about calls that are refused before anything starts. */
import type { AskingRoute, Cell } from './guarantees.ts';

type Cells = Readonly<Record<AskingRoute, Cell>>;

const NO_AGENT: Cell = { held: 'refuses a required date and crossed bounds, and starts no agent' };
const NO_MODEL: Cell = { held: 'refuses crossed bounds, and calls no model' };

/** Cells of schemas that no value satisfies. */
export const IMPOSSIBLE_SCHEMA_CELLS: Cells = {
  'run/none': NO_AGENT,
  'run/bubblewrap': NO_AGENT,
  'run/podman': NO_AGENT,
  kept: NO_AGENT,
  batch: NO_AGENT,
  generate: { held: 'refuses a required date and crossed bounds, and calls no model' },
  ensemble: { held: 'refuses a grant that allows no event' },
  chat: NO_MODEL,
  wire: NO_MODEL,
  command: { held: 'refuses crossed bounds in `--schema`, and starts no agent' },
};

const NO_START: Cell = { held: 'refuses a mistyped option, also inside another, and starts nothing' };

/** Cells of unknown options. */
export const UNKNOWN_OPTION_CELLS: Cells = {
  'run/none': NO_START,
  'run/bubblewrap': NO_START,
  'run/podman': NO_START,
  kept: NO_START,
  batch: NO_START,
  generate: { held: 'refuses a mistyped option, and calls no model' },
  ensemble: { held: 'refuses a mistyped option of the play and of its models' },
  chat: { held: 'refuses a mistyped option of the server, also inside another, and of the client' },
  wire: { held: 'refuses an unknown member of a response format, and calls no model' },
  command: { held: 'refuses a mistyped flag, and a mistyped member of the configuration' },
};
