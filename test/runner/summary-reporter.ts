/**
 * Summary of a test run: how many tests each missing program left out, tests that needed a second
 * attempt, and the counts on a separate last line.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

/** First lines of a run of all quick or all long suites. */
const ABOUT: Readonly<Record<string, string>> = {
  quick:
    'everything that needs no agent CLI, no container and no kill matrix, and is not slow. It takes about 3 minutes on 2 cores.\n`npm run test:all` adds the check, the build and the long suites: slow suites, real agent CLIs, sandboxes, kills and faults.',
  long: 'slow suites, real agent CLIs, sandboxes, builds of the package, kills and faults.\n`npm run test:matrix` tries each agent CLI, sandbox and kill with each case, not with a share of them.',
};

/** Title of a skipped suite, as `describeUnless` writes it. */
const REASON = /^(?<title>.*) \[skipped: (?<reason>.*)\]$/u;

/** A test that was not run, its suite, and why. */
export interface SkippedTest {
  readonly suite: string;
  readonly reason: string | undefined;
}

/** Returns one line for each reason. Suites without one are named, and in CI all of them. */
export function leftOutLines(tests: readonly SkippedTest[], namesAll: boolean): readonly string[] {
  return [...Map.groupBy(tests, ({ reason }) => reason)].flatMap(([reason, ofReason]) => {
    const suites = [...new Set(ofReason.map(({ suite }) => suite))];
    const named = namesAll || reason === undefined ? suites.map((suite) => `skipped: ${suite}`) : [];
    return [
      ...named,
      `left out: ${ofReason.length} ${ofReason.length === 1 ? 'test' : 'tests'}, ${reason ?? 'no reason is named'}`,
    ];
  });
}

/**
 * Prints how many tests were left out for each reason, then `N passed, N failed`. In CI, a skipped
 * test counts as failed.
 */
class SummaryReporter implements Reporter {
  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const projects = new Set(specifications.map(({ project }) => project.name));
    const [name, ...others] = Object.keys(ABOUT).filter((each) => projects.has(each));
    if (name !== undefined && others.length === 0 && specifications.length > 20) {
      process.stdout.write(`The ${name} suites, ${specifications.length} files: ${ABOUT[name] ?? ''}\n`);
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length };
    const skipped: SkippedTest[] = [];
    for (const module of modules) {
      counts.failed += [module, ...module.children.allSuites()].filter(hasFailed).length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky === true) {
          process.stdout.write(`flaky: ${module.relativeModuleId} > ${test.fullName}\n${firstErrorOf(test)}`);
        }
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else {
          const { name, reason } = skippedSuite(test);
          skipped.push({ suite: `${module.relativeModuleId} > ${name}`, reason });
        }
      }
    }
    const inCi = process.env['CI'] === 'true';
    for (const line of leftOutLines(skipped, inCi)) process.stdout.write(`${line}\n`);
    if (inCi) counts.failed += skipped.length;
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

/** True if the file or a hook of the suite failed: its tests then count as skipped. */
function hasFailed(group: TestModule | TestSuite): boolean {
  return group.state() === 'failed' && group.errors().length > 0;
}

/** The outermost suite that names its reason; without one, the outermost suite or the test itself. */
function skippedSuite(test: TestCase): { readonly name: string; readonly reason: string | undefined } {
  const around: (TestCase | TestSuite)[] = [test];
  for (let top: TestCase | TestSuite = test; top.parent.type === 'suite'; top = top.parent) {
    around.unshift(top.parent);
  }
  for (const { name } of around) {
    const parts = REASON.exec(name)?.groups;
    if (parts?.['reason'] !== undefined) return { name: parts['title'] ?? '', reason: parts['reason'] };
  }
  return { name: around[0]?.name ?? '', reason: undefined };
}

export default SummaryReporter;
