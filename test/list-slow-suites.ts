/**
 * Lists of the suites that are slow, and of those that mostly wait, by measurement: `node test/list-slow-suites.ts
 * TIMES` writes `test/slow-suites.json` and `test/waiting-suites.json` from the times of a whole run
 * (`TRUECAST_TIMES=TIMES npm run test:all`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { z } from 'zod';
import { LONG_SUITES, SLOW_LIST, WAITING_LIST } from './long-suites.ts';

/** Seconds of processor time from which a suite is long: `npm test` then takes three minutes on two cores. */
const SLOW_SECONDS = 1.5;

/** A suite mostly waits if it takes this long, and uses the processor for a small share of it. */
const WAITING_SECONDS = 4;
const WAITING_SHARE = 0.16;
/** The log has no times of browsers. */
const IN_BROWSER = 'test/console/';

const timesSchema = z.object({
  file: z.string(),
  worker: z.number(),
  children: z.number(),
  wall: z.number().default(0),
});
type Times = z.infer<typeof timesSchema>;

function timesOf(log: string): readonly Times[] {
  return log
    .trim()
    .split('\n')
    .map((line) => timesSchema.parse(JSON.parse(line)));
}

/** Returns the names of the slow suites of a log of times. Those that are long for what they need are not among them. */
export function slowSuites(log: string): readonly string[] {
  const slow = timesOf(log).filter(({ worker, children }) => worker + children >= SLOW_SECONDS);
  return slow
    .map(({ file }) => file)
    .filter((file) => !LONG_SUITES.some((glob) => matchesGlob(file, glob)))
    .toSorted((a, b) => a.localeCompare(b));
}

/** Returns the names of the suites that mostly wait, from a log of times. Those that take longest are first. */
export function waitingSuites(log: string): readonly string[] {
  return timesOf(log)
    .filter(({ file }) => !file.startsWith(IN_BROWSER))
    .filter(
      ({ worker, children, wall }) => wall >= WAITING_SECONDS && worker + children < WAITING_SHARE * wall,
    )
    .toSorted((a, b) => b.wall - a.wall)
    .map(({ file }) => file);
}

if (import.meta.main) {
  const [log] = process.argv.slice(2);
  if (log === undefined) throw new TypeError('Pass the file that TRUECAST_TIMES named.');
  const text = readFileSync(log, 'utf8');
  for (const [list, names] of [
    [SLOW_LIST, slowSuites(text)],
    [WAITING_LIST, waitingSuites(text)],
  ] as const) {
    writeFileSync(list, `${JSON.stringify(names, undefined, 2)}\n`);
  }
}
