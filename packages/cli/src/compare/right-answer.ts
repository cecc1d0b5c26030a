/** Correctness of valid answers: equal to the input's `expected`, or accepted by a command. */
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { runProgram } from 'truecast/internal/process/run-program';
import type { BatchInput, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import type { AnswerCheck, AnswerCheckOptions } from './contestant.ts';
import { hash } from 'truecast/internal/run/batch/read-batch-inputs';

/** Member of an input with the right answer. Never part of a prompt. */
export const EXPECTED = 'expected';

const CHECK_TIMEOUT_MS = 120_000;

export interface RightAnswerOptions {
  readonly signal: AbortSignal;
  /** The contestant's own way to run the command. */
  readonly check: AnswerCheck | undefined;
}

/** Decides whether an answer is right. */
export interface Judge {
  /** Changes with the command. Results with another judge's id are judged again. */
  readonly id: string;
  /** Undefined if nothing is known about the right answer. */
  isRight(result: BatchResult, input: BatchInput, options: RightAnswerOptions): Promise<boolean | undefined>;
}

/**
 * Creates the judge. `check` is a shell command: it receives the value on stdin, and exit code 0
 * means right.
 */
export function createJudge(check: string | undefined): Judge {
  return {
    id: check === undefined ? EXPECTED : hash(check).slice(0, 12),
    async isRight(result, input, { signal, check: checkOf = checkOnHost }) {
      const isKnown = check !== undefined || Object.hasOwn(input, EXPECTED);
      if (!isKnown) return undefined;
      if (result.status !== 'ok') return false;
      const { output } = result;
      const isEqual =
        !Object.hasOwn(input, EXPECTED) || canonicalJson(output) === canonicalJson(input[EXPECTED]);
      if (check === undefined || !isEqual) return isEqual;
      const stdin = `${JSON.stringify(output)}\n`;
      return checkOf({ command: check, stdin, result, signal, timeoutMs: CHECK_TIMEOUT_MS });
    },
  };
}

/** A model has no commit, so its answer is all that there is to check. */
async function checkOnHost({ command, stdin, signal, timeoutMs }: AnswerCheckOptions): Promise<boolean> {
  const bytes = new TextEncoder().encode(stdin);
  const { exitCode } = await runProgram('sh', ['-c', command], { stdin: bytes, signal, timeoutMs });
  return exitCode === 0;
}
