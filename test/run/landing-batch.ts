/** A batch that merges one item, and dies in its check if it is asked to. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { BatchOptions } from '../../packages/truecast/src/run/batch/batch-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

/** Where the batch works, and the stage at which its process dies. */
export interface LandingBatch {
  readonly cwd: string;
  readonly out: string;
  /** Folder in which each run and each check leaves a line. */
  readonly marks: string;
  readonly stage: string;
}

/** Returns the options of the batch. */
export function landingBatch({ cwd, out, marks, stage }: LandingBatch): BatchOptions {
  const script = `echo run >> '${marks}/runs'; echo work > b.txt; git add -A; git commit -q -m work`;
  return {
    cwd,
    out,
    agent: command({ command: ['sh', '-c', script] }),
    sandbox: noSandbox(),
    inputs: [{ N: 1 }],
    prompt: 'Work on {{N}}.',
    branchStrategy: {
      type: 'merge-to-head',
      check() {
        appendFileSync(join(marks, 'checks'), 'check\n');
        if (stage === 'check') process.kill(process.pid, 'SIGKILL');
        return undefined;
      },
    },
  };
}
