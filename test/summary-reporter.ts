/**
 * Summary of a test run: skipped suites with their reasons, tests that needed a second attempt, and
 * the counts on a separate last line.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

/** First lines of a run of all quick or all long suites. */
const ABOUT: Readonly<Record<string, string>> = {
  quick:
    'everything that needs no agent CLI, no container and no kill matrix. It takes about 4 minutes on 2 cores.\n`npm run test:all` adds the check, the build and the long suites: real agent CLIs, sandboxes, kills and faults.',
  long: 'real agent CLIs, sandboxes, builds of the package, kills and faults.\n`npm run test:matrix` tries each agent CLI, sandbox and kill with each case, not with a share of them.',
};

/**
 * Prints each skipped suite by its name, which contains the reason, then `N passed, N failed`. In
 * CI, a skipped test counts as failed.
 */
class SummaryReporter implements Reporter {
  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const projects = new Set(specifications.map(({ project }) => project.name));
    const name = projects.has('long') ? 'long' : 'quick';
    if (!(projects.has('long') && projects.has('quick')) && specifications.length > 20)
      process.stdout.write(`The ${name} suites, ${specifications.length} files: ${ABOUT[name] ?? ''}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length };
    const skipped = new Set<string>();
    let skippedCount = 0;
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky === true)
          process.stdout.write(`flaky: ${module.relativeModuleId} > ${test.fullName}\n${firstErrorOf(test)}`);
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else {
          skippedCount += 1;
          skipped.add(`${module.relativeModuleId} > ${suiteOf(test)}`);
        }
      }
    }
    for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);
    if (process.env['CI'] === 'true') counts.failed += skippedCount;
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
    if (counts.failed > 0) process.exitCode = 1;
  }
}

/** The error of the attempt before: without it, nobody can repair the test. */
function firstErrorOf(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  if (error === undefined) return '';
  const text = [error.message, error.diff ?? '', error.stacks?.[0]?.file ?? ''].join('\n');
  return `${stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 30)
    .map((line) => `  ${line}`)
    .join('\n')}\n`;
}

/**
 * The top-level suite of the file, whose name contains the reason. A test without a suite
 * represents itself.
 */
function suiteOf(test: TestCase): string {
  let top: TestCase | TestSuite = test;
  while (top.parent.type === 'suite') top = top.parent;
  return top.name;
}

export default SummaryReporter;
