/** Cells of the guarantees about memory and the event loop. */
import type { AskingRoute, Cell } from './guarantees.ts';

type Cells = Readonly<Record<AskingRoute, Cell>>;

const TRANSCRIPT: Cell = {
  held: 'holds the end of a transcript of 12 MB, and writes the whole to the log',
};

/** Cells of bounded memory. */
export const MEMORY_CELLS: Cells = {
  'run/none': TRANSCRIPT,
  'run/bubblewrap': TRANSCRIPT,
  'run/podman': TRANSCRIPT,
  kept: TRANSCRIPT,
  batch: { held: 'holds no transcript in the result of an item' },
  generate: { held: 'holds the latest preview for a slow reader, not each' },
  ensemble: { notApplicable: 'It streams nothing, and its replies are bounded in bytes (C1).' },
  chat: { held: 'reads a history of 40 MB in pages, as each of 8 slow readers takes it' },
  wire: { held: 'takes no more of an endless reply for a reader that stands still' },
  command: { held: 'prints no more than the end of a transcript of 12 MB' },
};

const WIDE: Cell = { held: 'refuses an answer of 110,000 members before it is parsed' };

/** Cells of the event loop. */
export const LOOP_CELLS: Cells = {
  'run/none': WIDE,
  'run/bubblewrap': WIDE,
  'run/podman': WIDE,
  kept: WIDE,
  batch: WIDE,
  generate: WIDE,
  ensemble: WIDE,
  chat: { held: 'lists 8,000 requests or more in statements of at most 501 rows, by indexes' },
  wire: WIDE,
  command: WIDE,
};
