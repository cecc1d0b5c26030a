/** Plan of a trial: what the command tells the process that runs the suites, and what that process writes. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Environment variable with the path of the plan. */
export const PLAN_VARIABLE = 'TRUECAST_MUTATION_PLAN';

const planSchema = z.object({
  /** Suites in the order in which they run, as absolute paths. */
  tests: z.array(z.string()),
  /** Instrumented text of each source, by absolute path. */
  instrumented: z.record(z.string(), z.string()),
  /** Mutants to try. The first is tried first in each test that reaches it. */
  mutants: z.array(z.string()),
  /** The one mutant that is on from the start, for what runs while modules are loaded. */
  always: z.string().optional(),
  /** Tests that tried all their mutants in an earlier process. */
  doneTests: z.array(z.string()),
  /** File to which each step is appended. */
  log: z.string(),
});
export type Plan = z.infer<typeof planSchema>;

/** Reads the plan of this process. */
export function readPlan(): Plan {
  return planSchema.parse(JSON.parse(readFileSync(process.env[PLAN_VARIABLE] ?? '', 'utf8')));
}

const stepSchema = z.discriminatedUnion('step', [
  /** A test begins without a mutant. */
  z.object({ step: z.literal('test'), test: z.string() }),
  /** A test begins with a mutant. It must end within `limitMs`. */
  z.object({ step: z.literal('try'), mutant: z.string(), limitMs: z.number() }),
  z.object({ step: z.literal('killed'), mutant: z.string(), test: z.string() }),
  /** After the mutant, its test fails without it too: only a new process knows more. */
  z.object({ step: z.literal('unclean'), mutant: z.string() }),
  z.object({ step: z.literal('done'), test: z.string() }),
  /** The test takes too long without any mutant, and tries none. */
  z.object({ step: z.literal('slow'), test: z.string() }),
  /** The test passes once in a process, and fails when it is repeated there: each mutant would seem to be killed. */
  z.object({ step: z.literal('single'), test: z.string() }),
  /** The test fails without any mutant. */
  z.object({ step: z.literal('broken'), test: z.string(), id: z.string(), message: z.string() }),
  /** The suite has no test, because its modules failed. */
  z.object({ step: z.literal('unloaded'), suite: z.string(), message: z.string() }),
  /** Mutants that tests reached. */
  z.object({ step: z.literal('reached'), mutants: z.array(z.string()) }),
  /** Mutants that were reached outside of tests, while modules were loaded. */
  z.object({ step: z.literal('loaded'), mutants: z.array(z.string()) }),
]);
export type Step = z.infer<typeof stepSchema>;

/** Reads the steps of a log. A last line that is not complete is left out. */
export function readSteps(text: string): readonly Step[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => stepSchema.parse(JSON.parse(line)));
}
