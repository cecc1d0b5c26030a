/** Correctness of valid answers: equal to the input's `expected`, or accepted by a command. */
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { runProgram } from '../../process/run-program.ts';
import type { BatchInput, BatchResult } from '../../run/batch/batch-queue.ts';
import { hash } from '../../run/batch/read-batch-inputs.ts';

/** Member of an input with the right answer. Never part of a prompt. */
export const EXPECTED = 'expected';

const CHECK_TIMEOUT_MS = 120_000;

/** Decides whether an answer is right. */
export interface Judge {
  /** Changes with the command. Results with another judge's id are judged again. */
  readonly id: string;
  /** Undefined if nothing is known about the right answer. */
  isRight(result: BatchResult, input: BatchInput, signal: AbortSignal): Promise<boolean | undefined>;
}

/**
 * Creates the judge. `check` is a shell command: it receives the value on stdin, and exit code 0
 * means right.
 */
export function createJudge(check: string | undefined): Judge {
  return {
    id: check === undefined ? EXPECTED : hash(check).slice(0, 12),
    async isRight(result, input, signal) {
      const isKnown = check !== undefined || Object.hasOwn(input, EXPECTED);
      if (!isKnown) return undefined;
      if (result.status !== 'ok') return false;
      const { output } = result;
      const isEqual =
        !Object.hasOwn(input, EXPECTED) || canonicalJson(output) === canonicalJson(input[EXPECTED]);
      if (check === undefined || !isEqual) return isEqual;
      const stdin = new TextEncoder().encode(`${JSON.stringify(output)}\n`);
      const ended = await runProgram('sh', ['-c', check], { stdin, signal, timeoutMs: CHECK_TIMEOUT_MS });
      return ended.exitCode === 0;
    },
  };
}
