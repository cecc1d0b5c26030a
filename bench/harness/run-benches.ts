/** Runs benches one after the other. A failed bench does not prevent the next ones. */
import type { Report } from './report.ts';

export interface BenchFailure {
  readonly name: string;
  readonly message: string;
}

export interface BenchResults {
  readonly reports: readonly Report[];
  readonly failures: readonly BenchFailure[];
}

/** Runs each bench and calls `onReport` as soon as its report is complete. */
export async function runBenches(
  names: readonly string[],
  run: (name: string) => Promise<Report>,
  onReport: (report: Report) => void = () => undefined,
): Promise<BenchResults> {
  const reports: Report[] = [];
  const failures: BenchFailure[] = [];
  for (const name of names) {
    try {
      const report = await run(name);
      reports.push(report);
      onReport(report);
    } catch (error) {
      failures.push({ name, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { reports, failures };
}
