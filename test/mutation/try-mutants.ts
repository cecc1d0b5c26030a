/** Trial of mutants: one process runs the suites with each mutant. It is replaced when a mutant spoils it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { PLAN_VARIABLE, readSteps, type Plan, type Step } from './plan.ts';

const ROOT = join(import.meta.dirname, '../..');
/** How often the log is read, and how long a test without a mutant may take. */
const POLL_MS = 1_000;
const PLAIN_LIMIT_MS = 180_000;

/** What became of the mutants. */
export interface Verdicts {
  readonly killed: ReadonlyMap<string, string>;
  readonly timedOut: ReadonlySet<string>;
  /** Mutants that at least one test reached. */
  readonly reached: ReadonlySet<string>;
  /** Mutants that are reached while modules are loaded. */
  readonly loaded: ReadonlySet<string>;
}

/** Largest share of tests that a trial may leave out. More is a fault of the suites, and no score. */
const MOST_LEFT_OUT = 0.05;

/** Tries all mutants. @throws Error for a suite that cannot be loaded, and if more than a few tests fail without a mutant */
export async function tryMutants(
  plan: Omit<Plan, 'doneTests' | 'log'>,
  folder: string,
  say: (line: string) => void,
): Promise<Verdicts> {
  const killed = new Map<string, string>();
  const timedOut = new Set<string>();
  const reached = new Set<string>();
  const loaded = new Set<string>();
  const doneTests: string[] = [];
  const broken = new BrokenTests(say);
  /** Mutants that left a process unclean, and those that did so again after another one: they count as survived. */
  const doubted = new Set<string>();
  const setAside = new Set<string>();
  let first: string | undefined;
  for (let round = 1; ; round += 1) {
    const open = plan.mutants.filter(
      (id) => !killed.has(id) && !timedOut.has(id) && !setAside.has(id) && id !== first,
    );
    const mutants = first === undefined ? open : [first, ...open];
    const log = join(folder, `steps-${round}.jsonl`);
    writeFileSync(log, '');
    await runProcess({ ...plan, mutants, doneTests, log }, folder);
    const steps = readSteps(readFileSync(log, 'utf8'));
    // The last step of suites that came to their end. A mutant can also end the process.
    const hasEnded = steps.at(-1)?.step === 'loaded';
    let unclean: string | undefined;
    let isBroken = false;
    for (const step of steps) {
      if (step.step === 'killed') killed.set(step.mutant, step.test);
      else if (step.step === 'reached') for (const id of step.mutants) reached.add(id);
      else if (step.step === 'loaded') for (const id of step.mutants) loaded.add(id);
      else if (step.step === 'done') doneTests.push(step.test);
      else if (step.step === 'unclean') unclean = step.mutant;
      else if (step.step === 'slow') say(`  left out, too slow without a mutant: ${step.test}`);
      else if (step.step === 'unloaded') {
        throw new Error(`The suite ${step.suite} cannot be loaded. Repair it first: ${step.message}`);
      } else if (step.step === 'single') say(`  left out, fails when it is repeated: ${step.test}`);
      else if (step.step === 'broken') {
        isBroken = true;
        if (broken.isLeftOut(step)) doneTests.push(step.id);
      }
    }
    if (isBroken) continue;
    broken.refuseMany(doneTests.length);
    if (unclean === undefined && hasEnded) return { killed, timedOut, reached, loaded };
    const last = lastTried(steps);
    say(`  process ${round} ended at ${unclean ?? last ?? 'a test without a mutant'}: ${killed.size} killed`);
    if (unclean === undefined && last === undefined) throw new Error('A test without a mutant did not end.');
    if (unclean === undefined && last !== undefined) timedOut.add(last);
    // An earlier mutant can have spoiled the process: it is tried again as the first of a new one.
    const doubtful = unclean === first ? undefined : unclean;
    first = undefined;
    if (doubtful === undefined) continue;
    killed.delete(doubtful);
    // Two mutants that spoil each other's process would take turns for ever.
    if (doubted.has(doubtful)) setAside.add(doubtful);
    else first = doubtful;
    doubted.add(doubtful);
  }
}

/**
 * Tests that fail without a mutant. An earlier mutant can have spoiled the process, and a loaded machine can end a
 * wait: such a test begins again in a new process. If it fails there too, it is left out.
 */
class BrokenTests {
  readonly #seen = new Set<string>();
  readonly #leftOut: string[] = [];
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  isLeftOut({ test, id, message }: Extract<Step, { readonly step: 'broken' }>): boolean {
    if (!this.#seen.has(id)) {
      this.#seen.add(id);
      this.#say(`  fails without a mutant, tried again in a new process: ${test}`);
      return false;
    }
    this.#leftOut.push(test);
    this.#say(`  left out, fails without a mutant: ${test}: ${message.split('\n', 1)[0]}`);
    return true;
  }

  /** @throws Error if more than a few of the `done` tests were left out */
  refuseMany(done: number): void {
    if (this.#leftOut.length <= Math.max(1, done * MOST_LEFT_OUT)) return;
    throw new Error(
      `${this.#leftOut.length} of ${done} tests fail without a mutant. Repair them first:\n${this.#leftOut.join('\n')}`,
    );
  }
}

/** Returns true if the suites fail while the mutant is on from the start, or do not end. */
export async function diesAtLoad(plan: Omit<Plan, 'doneTests' | 'log'>, folder: string): Promise<boolean> {
  const log = join(folder, 'steps-loaded.jsonl');
  writeFileSync(log, '');
  const { hung, exitCode } = await runProcess({ ...plan, doneTests: [], log }, folder);
  return hung || exitCode !== 0;
}

function lastTried(steps: readonly Step[]): string | undefined {
  const last = steps.findLast(({ step }) => step === 'try' || step === 'test' || step === 'killed');
  return last?.step === 'try' ? last.mutant : undefined;
}

interface Ended {
  /** True if the suites did not end by themselves. */
  readonly hung: boolean;
  readonly exitCode: number | undefined;
}

/** Runs the suites once. */
async function runProcess(plan: Plan, folder: string): Promise<Ended> {
  const path = join(folder, 'plan.json');
  writeFileSync(path, JSON.stringify(plan));
  const bail = plan.always === undefined ? [] : ['--bail', '1'];
  const config = ['--config', 'test/mutation/room.config.ts'];
  const child = execa('node_modules/.bin/vitest', ['run', ...config, ...bail], {
    cwd: ROOT,
    detached: true,
    reject: false,
    all: true,
    env: { [PLAN_VARIABLE]: path, TRUECAST_COMMAND: 'source', NODE_ENV: 'test' },
  });
  let hung = false;
  let changedAt = Date.now();
  let size = 0;
  const timer = setInterval(() => {
    const text = existsSync(plan.log) ? readFileSync(plan.log, 'utf8') : '';
    if (text.length !== size) changedAt = Date.now();
    size = text.length;
    const last = readSteps(text.slice(text.lastIndexOf('\n', text.length - 2) + 1)).at(-1);
    const limit = last?.step === 'try' ? last.limitMs : PLAIN_LIMIT_MS;
    if (Date.now() - changedAt < limit || child.pid === undefined) return;
    hung = true;
    process.kill(-child.pid, 'SIGKILL');
  }, POLL_MS);
  const { all, exitCode } = await child;
  clearInterval(timer);
  writeFileSync(join(folder, 'output.txt'), all ?? '');
  return { hung, exitCode };
}
