/** Owns the last lines of a test run: what was skipped and why, and the counts alone on a line. */
import type { Reporter, TestModule } from 'vitest/node';

/** Prints each skipped test by its full name, which tells the reason, then `N passed, N failed`. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length };
    const skipped: string[] = [];
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
    }
    for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);
    if (skipped.length > 0 && process.env['CI'] === 'true') counts.failed += skipped.length;
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
    if (counts.failed > 0) process.exitCode = 1;
  }
}

export default SummaryReporter;
