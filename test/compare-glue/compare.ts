/**
 * Comparison of the ten jobs, written with Truecast and with glue: plays each job without a fault and with its
 * four faults, and writes `report.json`. `--side ours`, `--job 3` and `--fault 3.1` select plays.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countLines } from './count-lines.ts';
import { type Fault, FAULTS } from './faults.ts';
import { judge, stateOf } from './judge.ts';
import { playJob } from './play.ts';
import { type PlayRow, type Report, reportPath, SIDES, type Side } from './report.ts';
import { SCENARIOS } from './scenarios.ts';
import { openWorld } from './world.ts';

const LIMIT_MS = 90_000;

/** Plays one job of one side, with or without a fault. */
export async function playOne(side: Side, job: number, fault: Fault | undefined): Promise<PlayRow> {
  const scenario = SCENARIOS[job];
  if (scenario === undefined) throw new Error(`There is no job ${job}.`);
  const limitMs = fault?.limitMs ?? LIMIT_MS;
  const opened = await openWorld({ scenario, limitMs, disturb: fault?.disturb, prepare: fault?.prepare });
  try {
    const before = stateOf(opened);
    const played = await playJob(programOf(side, job), opened, limitMs);
    const { verdict, detail } = judge(job, fault, played, opened, before);
    return {
      side,
      job,
      fault: fault?.id ?? 'none',
      verdict,
      detail: detail.replaceAll(opened.place.root, '…').slice(0, 400),
    };
  } finally {
    await opened.close();
  }
}

/** Returns the program of one side for one job. Job 0 is the file that its programs share. */
function programOf(side: Side, job: number): string {
  return join(import.meta.dirname, side, job === 0 ? 'shared.ts' : `job-${String(job).padStart(2, '0')}.ts`);
}

function linesOf(program: string): number {
  return existsSync(program) ? countLines(readFileSync(program, 'utf8')) : 0;
}

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: { side: { type: 'string' }, job: { type: 'string' }, fault: { type: 'string' } },
  });
  if (Object.keys(values).length === 0) rmSync(reportPath, { force: true });
  for (const side of SIDES.filter((each) => values.side === undefined || each === values.side)) {
    for (const job of Object.keys(SCENARIOS).map(Number)) {
      if (values.job !== undefined && Number(values.job) !== job) continue;
      for (const fault of [undefined, ...FAULTS.filter((each) => each.job === job)]) {
        if (values.fault !== undefined && values.fault !== (fault?.id ?? 'none')) continue;
        const row = existsSync(programOf(side, job))
          ? await playOne(side, job, fault)
          : { side, job, fault: fault?.id ?? 'none', verdict: 'no-program' as const, detail: '' };
        process.stdout.write(
          `${side} ${row.fault === 'none' ? `${job}.0` : row.fault} ${row.verdict} ${row.detail}\n`,
        );
        writeReport(row);
      }
    }
  }
}

function readRows(): readonly PlayRow[] {
  return existsSync(reportPath) ? (JSON.parse(readFileSync(reportPath, 'utf8')) as Report).plays : [];
}

/** Replaces one row. The file is read again each time, so that commands for other jobs can run beside it. */
function writeReport(row: PlayRow): void {
  const isSame = (each: PlayRow): boolean =>
    each.side === row.side && each.job === row.job && each.fault === row.fault;
  const plays = [...readRows().filter((each) => !isSame(each)), row].toSorted(
    (one, other) =>
      SIDES.indexOf(one.side) - SIDES.indexOf(other.side) ||
      one.job - other.job ||
      // `none` first
      one.fault.replace('none', '').localeCompare(other.fault.replace('none', ''), 'en'),
  );
  const lines = SIDES.flatMap((side) =>
    [0, ...Object.keys(SCENARIOS).map(Number)].map((job) => ({
      side,
      job,
      lines: linesOf(programOf(side, job)),
    })),
  );
  const report: Report = { lines, plays };
  writeFileSync(reportPath, `${JSON.stringify(report, undefined, 2)}\n`);
}

if (import.meta.main) {
  await compare();
  process.exit(0);
}
