/** Conversion of a run's result or failure to a line of the results file. */
import { EvidenceError, type RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import type { AnyRunResult } from '../options/read-only.ts';
import type { RunResultWithOutput } from '../options/run-options.ts';
import type { BatchFailure, BatchItem, BatchSuccess, BatchUnanswered } from './batch-queue.ts';

/** Item with its start time and duration. */
export interface WorkedOn {
  readonly item: BatchItem;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Undefined if all items have the same. */
  readonly cwd: string | undefined;
}

/** Returns the result line of an item whose run succeeded: with an answer, a question or a refusal. */
export function toSuccess(
  worked: WorkedOn,
  result: AnyRunResult & Partial<Pick<RunResultWithOutput<unknown>, 'output' | 'provenance'>>,
  definition: AnyOutputDefinition | undefined,
): BatchSuccess | BatchUnanswered {
  const sessionId = result.iterations.at(-1)?.sessionId;
  const outcome = 'output' in result ? outcomeIn(result.output, definition)?.outcome : undefined;
  return {
    ...itemIdentity(worked.item),
    ...placeOf(worked),
    status: outcome === undefined || outcome === 'answered' ? 'ok' : outcome,
    ...('output' in result && { output: result.output, provenance: result.provenance }),
    ...(result.warnings.length > 0 && { warnings: result.warnings }),
    ...leftBehind({
      ...result,
      commits: result.commits ?? [],
      ...(sessionId !== undefined && { sessionId }),
    }),
    ...itemTimes(worked),
  };
}

/** Returns the result line of a failed item, including the work that its agent left behind. */
export function toFailure(worked: WorkedOn, error: unknown): BatchFailure {
  const evidence: RunEvidence = EvidenceError.isInstance(error) ? error : { commits: [] };
  return {
    ...itemIdentity(worked.item),
    ...placeOf(worked),
    status: 'failed',
    error: describeError(error),
    ...leftBehind(evidence),
    ...itemTimes(worked),
  };
}

/** Identity of an item in its result line. */
export function itemIdentity({
  key,
  line,
  input,
  inputHash,
}: BatchItem): Pick<BatchSuccess, 'key' | 'id' | 'line' | 'inputHash'> {
  const id = Object.hasOwn(input, 'id') ? input['id'] : undefined;
  return { key, ...((typeof id === 'string' || typeof id === 'number') && { id }), line, inputHash };
}

function placeOf({ cwd }: WorkedOn): Pick<BatchSuccess, 'cwd'> {
  return cwd === undefined ? {} : { cwd };
}

/** Times of an item in its result line. */
export function itemTimes({
  startedAt,
  durationMs,
}: Pick<WorkedOn, 'startedAt' | 'durationMs'>): Pick<BatchSuccess, 'startedAt' | 'durationMs'> {
  return { startedAt: startedAt.toISOString(), durationMs: Math.round(durationMs) };
}

type LeftBehind = Pick<
  BatchSuccess,
  | 'commits'
  | 'branch'
  | 'recovered'
  | 'preservedWorktreePath'
  | 'sessionId'
  | 'logFilePath'
  | 'sensitiveChanges'
  | 'usage'
>;

function leftBehind({
  commits,
  branch,
  recovered,
  preservedWorktreePath,
  sessionId,
  logFilePath,
  sensitiveChanges = [],
  usage,
}: RunEvidence): LeftBehind {
  return {
    commits,
    // An unused branch is deleted with its worktree.
    ...(branch !== undefined && (commits.length > 0 || preservedWorktreePath !== undefined) && { branch }),
    ...(recovered !== undefined && { recovered }),
    ...(preservedWorktreePath !== undefined && { preservedWorktreePath }),
    ...(sessionId !== undefined && { sessionId }),
    ...(logFilePath !== undefined && { logFilePath }),
    ...(sensitiveChanges.length > 0 && { sensitiveChanges }),
    ...(usage !== undefined && { usage }),
  };
}

/** Converts an error to its form in a result line. */
export function describeError(error: unknown): BatchFailure['error'] {
  if (!TruecastError.isInstance(error)) {
    return error instanceof Error
      ? { name: error.name, message: error.message }
      : { name: 'Error', message: String(error) };
  }
  const described = { name: error.name, code: error.code, message: error.message };
  if (!StructuredOutputError.isInstance(error)) return described;
  const attempts = error.attempts.map(({ code }) => code);
  return { ...described, attempts, ...(error.issues.length > 0 && { issues: error.issues }) };
}
