/**
 * Mutant runner: repeats each test once for each mutant that it reaches, in the same process. A mutant
 * that one test kills is not tried again.
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestRunner, type RunnerTestCase } from 'vitest';
import { readPlan, type Step } from './plan.ts';

/** What the instrumented sources read and write. */
interface StrykerState {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  hitCount: number | undefined;
  hitLimit: number;
  readonly mutantCoverage: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}

const plan = readPlan();
const state: StrykerState = {
  activeMutant: plan.always,
  currentTestId: undefined,
  hitCount: undefined,
  hitLimit: Number.POSITIVE_INFINITY,
  mutantCoverage: { static: {}, perTest: {} },
};
Reflect.set(globalThis, '__stryker__', state);

/** Number of times that a mutant can be reached, as a multiple of the times without it. More is a loop. */
const HIT_FACTOR = 100;
/** How long a property runs with each mutant. It ends at its first failure: no smallest example is needed. */
const PROPERTY_MS = 30;
/** How long one test tries mutants that it does not kill. A slow test leaves the rest to others. */
const TEST_MS = 10_000;
/** A test with a mutant that takes longer waits for what the mutant prevents, as a multiple of its own time. */
const WAIT_FACTOR = 10;
const SHORTEST_WAIT_MS = 2_000;
/** Message of a test that vitest ended. */
const TIMED_OUT = /^(?:Test|Hook) timed out in /u;
/** Name of a test that runs with a mutant: what it reaches counts for nothing. */
const MUTATED = 'mutated';

const alive = new Set(plan.mutants);
const done = new Set(plan.doneTests);
const [first] = plan.mutants;

const write = (step: Step): void => appendFileSync(plan.log, `${JSON.stringify(step)}\n`);

type Test = RunnerTestCase;
type TryOptions = Parameters<TestRunner['onBeforeTryTask']>[1];

/** What the present repeat of a test is. */
type Repeat =
  | { readonly kind: 'plain'; readonly startedAt: number }
  | { readonly kind: 'rehearsal' }
  | { readonly kind: 'mutant'; readonly id: string }
  | { readonly kind: 'check'; readonly id: string };

export default class MutantRunner extends TestRunner {
  #repeat: Repeat | undefined;
  #unclean: string | undefined;
  #queue: string[] = [];
  #hits: Readonly<Record<string, number>> = {};
  #limitMs = 0;
  #plainMs = 0;
  /** Time of tries without a kill, and when the present one began. */
  #vainMs = 0;
  #triedAt = 0;
  #isAgain = false;
  /** True until the test has passed without a mutant a second time. */
  #isOnce = false;
  /** False for a test that fails because its properties end early: it counts something in them. */
  #endsEarly = true;

  override async onBeforeRunTask(test: Test): Promise<void> {
    if (plan.always !== undefined) return super.onBeforeRunTask(test);
    if (done.has(test.id)) test.mode = 'skip';
    // It ends by `skip()`, when its mutants are tried.
    test.repeats = Number.MAX_SAFE_INTEGER;
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: Test, options: TryOptions): void {
    super.onBeforeTryTask(test, options);
    if (plan.always !== undefined) return;
    test.result?.attempts?.splice(0);
    if (options.repeats === 0 || this.#isAgain) this.#beginPlain(test, options.repeats === 0);
    else if (this.#isOnce) this.#beginRehearsal();
    else if (this.#unclean !== undefined) this.#beginCheck(this.#unclean);
    else this.#beginMutant(test);
  }

  override async onAfterRetryTask(test: Test, options: TryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    if (plan.always !== undefined) return;
    state.activeMutant = undefined;
    state.currentTestId = undefined;
    const hasFailed = test.result?.state === 'fail';
    const message = test.result?.errors?.[0]?.message ?? '';
    if (test.result !== undefined) delete test.result.errors;
    const repeat = this.#repeat;
    this.#repeat = undefined;
    if (repeat?.kind === 'plain') this.#endPlain(test, repeat.startedAt, hasFailed ? message : undefined);
    else if (repeat?.kind === 'rehearsal') this.#endRehearsal(test, hasFailed);
    else if (repeat?.kind === 'mutant' && hasFailed) this.#kill(test, repeat.id);
    else if (repeat?.kind === 'mutant') this.#vainMs += performance.now() - this.#triedAt;
    else if (repeat?.kind === 'check') this.#endCheck(repeat.id, hasFailed);
  }

  /** Ends a test that waits with a mutant, long before the limit that a loaded machine needs. */
  async runTask(test: Test): Promise<void> {
    const body = TestRunner.getTestFn(test);
    if (this.#repeat?.kind !== 'mutant') return body();
    const limitMs = Math.max(SHORTEST_WAIT_MS, WAIT_FACTOR * this.#plainMs);
    const controller = new AbortController();
    const late = sleep(limitMs, undefined, { signal: controller.signal, ref: false }).then(() => {
      throw new Error('The test waits.');
    });
    try {
      await Promise.race([body(), late]);
    } finally {
      controller.abort();
      late.catch(() => undefined);
    }
  }

  override onAfterRunFiles(files: Parameters<TestRunner['onAfterRunFiles']>[0]): void {
    for (const { name, tasks, result } of plan.always === undefined ? files : []) {
      if (tasks.length > 0 || result?.state !== 'fail') continue;
      write({ step: 'unloaded', suite: name, message: result.errors?.[0]?.message ?? '' });
    }
    write({ step: 'loaded', mutants: Object.keys(state.mutantCoverage.static) });
    super.onAfterRunFiles(files);
  }

  #beginPlain(test: Test, endsEarly: boolean): void {
    this.#isAgain = false;
    this.#endsEarly = endsEarly;
    fc.configureGlobal({ endOnFailure: true, ...(endsEarly && { interruptAfterTimeLimit: PROPERTY_MS }) });
    write({ step: 'test', test: testName(test) });
    this.#queue = [];
    state.currentTestId = test.id;
    this.#repeat = { kind: 'plain', startedAt: performance.now() };
  }

  #endPlain(test: Test, startedAt: number, failure: string | undefined): void {
    if (failure !== undefined && this.#endsEarly) {
      this.#isAgain = true;
      return;
    }
    if (failure !== undefined && TIMED_OUT.test(failure)) {
      // A loaded machine, not a fault: the other tests go on, and the score is a lower bound.
      write({ step: 'slow', test: testName(test) });
      this.#queue = [];
      return;
    }
    if (failure !== undefined) {
      write({ step: 'broken', test: testName(test), id: test.id, message: failure });
      process.kill(process.pid, 'SIGKILL');
    }
    this.#plainMs = performance.now() - startedAt;
    this.#limitMs = 15_000 + 20 * this.#plainMs;
    this.#hits = state.mutantCoverage.perTest[test.id] ?? {};
    const reached = Object.keys(this.#hits);
    write({ step: 'reached', mutants: reached });
    const open = reached.filter((id) => alive.has(id));
    this.#queue = [...open.filter((id) => id === first), ...open.filter((id) => id !== first)];
    this.#isOnce = this.#queue.length > 0;
  }

  #beginRehearsal(): void {
    state.currentTestId = MUTATED;
    this.#repeat = { kind: 'rehearsal' };
  }

  #endRehearsal(test: Test, hasFailed: boolean): void {
    this.#isOnce = false;
    this.#vainMs = 0;
    if (!hasFailed) return;
    write({ step: 'single', test: testName(test) });
    this.#queue = [];
  }

  #beginMutant(test: Test): void {
    const id = this.#queue.shift();
    if (id === undefined || this.#vainMs > TEST_MS) {
      write({ step: 'done', test: test.id });
      test.context.skip();
      return;
    }
    write({ step: 'try', mutant: id, limitMs: Math.round(this.#limitMs) });
    this.#repeat = { kind: 'mutant', id };
    this.#triedAt = performance.now();
    state.hitCount = 0;
    state.hitLimit = 1_000 + HIT_FACTOR * (this.#hits[id] ?? 0);
    state.currentTestId = MUTATED;
    state.activeMutant = id;
  }

  #kill(test: Test, id: string): void {
    write({ step: 'killed', mutant: id, test: testName(test) });
    alive.delete(id);
    this.#unclean = id;
  }

  /** Repeats the test without a mutant: what a killed one left behind must not kill the next. */
  #beginCheck(id: string): void {
    this.#unclean = undefined;
    state.currentTestId = MUTATED;
    this.#repeat = { kind: 'check', id };
  }

  #endCheck(id: string, hasFailed: boolean): void {
    if (!hasFailed) return;
    write({ step: 'unclean', mutant: id });
    process.kill(process.pid, 'SIGKILL');
  }
}

function testName(test: Test): string {
  return `${test.file.name} > ${test.fullTestName}`;
}
