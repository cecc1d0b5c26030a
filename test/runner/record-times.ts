/**
 * Processor time of each test file, with `TRUECAST_TIMES=FILE`: one line of JSON per file, with the
 * seconds of its worker and of the child processes that ended during the file.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

const log = process.env['TRUECAST_TIMES'];

interface Times {
  readonly worker: number;
  readonly children: number;
  readonly wall: number;
}

if (log !== undefined) {
  const before = timesSoFar();
  // The first hook of a file runs last, after those of the suites.
  afterAll(() => {
    const after = timesSoFar();
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    const spent = {
      worker: after.worker - before.worker,
      children: after.children - before.children,
      wall: after.wall - before.wall,
    };
    appendFileSync(log, `${JSON.stringify({ file, pid: process.pid, start: before.worker, ...spent })}\n`);
  });
}

/** Seconds of this process so far. Linux counts a child when its end is collected. */
function timesSoFar(): Times {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[13]) + Number(fields[14]);
  return { worker: (user + system) / 1e6, children: ticks / 100, wall: performance.now() / 1000 };
}
