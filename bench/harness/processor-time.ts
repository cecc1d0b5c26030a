/** Processor time of a process with its ended children. */
import { readFileSync } from 'node:fs';

/** Of `utime` in `/proc/self/stat`, counted after the name of the program. */
const FIRST_TIME = 11;
/** Ticks of 10 ms, on each Linux that Node supports. */
const TICK_MS = 10;

/** Returns the milliseconds since the start of this process. Undefined outside of Linux. */
export function processorTime(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST_TIME, FIRST_TIME + 4);
  return ticks.reduce((sum, field) => sum + Number(field) * TICK_MS, 0);
}
