/**
 * List of the suites that are slow by measurement: `node test/list-slow-suites.ts TIMES` writes
 * `test/slow-suites.json` from the times of a whole run (`TRUECAST_TIMES=TIMES npm run test:all`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { z } from 'zod';
import { LONG_SUITES, SLOW_LIST } from './long-suites.ts';

/** Seconds of processor time from which a suite is long: `npm test` then takes three minutes on two cores. */
const SLOW_SECONDS = 1.5;

const timesSchema = z.object({ file: z.string(), worker: z.number(), children: z.number() });

/** Returns the names of the slow suites of a log of times. Those that are long for what they need are not among them. */
export function slowSuites(log: string): readonly string[] {
  return log
    .trim()
    .split('\n')
    .map((line) => timesSchema.parse(JSON.parse(line)))
    .filter(({ worker, children }) => worker + children >= SLOW_SECONDS)
    .map(({ file }) => file)
    .filter((file) => !LONG_SUITES.some((glob) => matchesGlob(file, glob)))
    .toSorted((a, b) => a.localeCompare(b));
}

if (import.meta.main) {
  const [log] = process.argv.slice(2);
  if (log === undefined) throw new TypeError('Pass the file that TRUECAST_TIMES named.');
  writeFileSync(SLOW_LIST, `${JSON.stringify(slowSuites(readFileSync(log, 'utf8')), undefined, 2)}\n`);
}
