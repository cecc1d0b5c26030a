/** Report of the step `agent`: its status, the value, and the work, from the result or the error of a run. */
import { EvidenceError, type Attempt } from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { Issue } from '@truecast/core/internal/kit/issue';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import type { AnyRunOptions, AnyRunResult } from 'truecast/internal/run/options/read-only';
import { answerOf } from '../terminal/tell-commits.ts';
import { EXIT, exitCodeOf } from '../terminal/print.ts';

/** How the step ended. */
export interface ActionReport {
  readonly status: 'valid' | 'invalid' | 'failed' | 'question' | 'declined';
  /** The answer, the question, or the reason of a refusal. Absent without any of them. */
  readonly value?: unknown;
  /** The error's message. */
  readonly message?: string;
  readonly issues: readonly Issue[];
  readonly attempts: readonly Attempt[];
  readonly branch?: string | undefined;
  /** Ids of the agent's commits, oldest first. */
  readonly commits: readonly string[];
  readonly costUsd?: number | undefined;
  readonly logFile?: string | undefined;
  /** Name of the sandbox. Absent if none was chosen. */
  readonly sandbox?: string;
  /** Exit code of `truecast run` for the same end. */
  readonly exitCode: number;
}

/** Returns the report of a run that resolved. */
export function reportResult(result: AnyRunResult, options: AnyRunOptions): ActionReport {
  const output = answerOf(result);
  const outcome = outcomeIn(output, options.output);
  const provenance: unknown = Reflect.get(result, 'provenance');
  const attempts = isRecord(provenance) ? (provenance['attempts'] as readonly Attempt[]) : [];
  const work = {
    issues: [],
    attempts,
    branch: result.branch,
    commits: (result.commits ?? []).map(({ sha }) => sha),
    costUsd: result.usage?.costUsd,
    logFile: result.logFilePath,
    sandbox: sandboxName(options),
  };
  if (outcome?.outcome === 'question') {
    return { ...work, status: 'question', value: outcome.question, exitCode: EXIT.question };
  }
  if (outcome?.outcome === 'declined') {
    return { ...work, status: 'declined', value: outcome.reason, exitCode: EXIT.declined };
  }
  const value = outcome === undefined ? output : outcome.answer;
  return {
    ...work,
    status: 'valid',
    ...(options.output !== undefined && { value }),
    exitCode: EXIT.done,
  };
}

/** Returns the name of the sandbox, as the input has it. */
export function sandboxName({ sandbox }: Pick<AnyRunOptions, 'sandbox'>): string {
  return sandbox.name === 'no-sandbox' ? 'none' : sandbox.name;
}

/**
 * Returns the report of an error.
 *
 * @param error - without secrets
 */
export function reportError(error: unknown, sandbox: string | undefined): ActionReport {
  const isInvalid = StructuredOutputError.isInstance(error);
  const evidence = EvidenceError.isInstance(error) ? error : undefined;
  return {
    status: isInvalid ? 'invalid' : 'failed',
    message: error instanceof Error ? error.message : String(error),
    issues: isInvalid ? error.issues : [],
    attempts: isInvalid ? error.attempts : [],
    branch: evidence?.branch,
    commits: (evidence?.commits ?? []).map(({ sha }) => sha),
    costUsd: evidence?.usage?.costUsd,
    logFile: evidence?.logFilePath,
    ...(sandbox !== undefined && { sandbox }),
    exitCode: exitCodeOf(error),
  };
}
