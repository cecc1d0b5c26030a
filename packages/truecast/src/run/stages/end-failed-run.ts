/**
 * End of a failed run, also of one whose sandbox did not start: closes its place, collects the evidence, and removes a place that contains
 * no work.
 */
import {
  attachEvidence,
  EvidenceError,
  type RunEvidence,
} from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { RunContext, WorkingContext } from '../context/run-context.ts';
import { totalUsage } from '../context/run-progress.ts';
import { keepRun } from '../settle/keep-run.ts';
import { tellInterruptedRun } from '../settle/tell-place.ts';
import { storageError } from '../../support/storage-error.ts';
import type { RunPlace } from '../places/run-place.ts';
import { settleFailure } from '../settle/settle-run.ts';
import { recordRunOutcome } from './record-outcome.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { Repository } from '../../git/repository/repository.ts';

/** A failure of a run whose place was open. */
interface RunFailure {
  readonly error: unknown;
  /** A valid answer that existed before another step failed. */
  readonly answer: RunAnswer | undefined;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
}

/** Ends a failed run and returns its error with the evidence. The first error is kept. */
export async function endFailedRun(
  place: RunPlace,
  context: WorkingContext,
  failed: RunFailure,
): Promise<unknown> {
  const { error, answer, signal } = failed;
  const warningsBefore = context.progress.warnings.length;
  // The error of closing becomes a warning that names the place of the work.
  await context.workspace.close().catch((closing: unknown) => context.warn(messageOf(closing)));
  const { isThrownAway } = context.options;
  const settled = isThrownAway
    ? evidenceOf(context)
    : await settleFailure(context).catch((error: unknown) => incomplete(context, error));
  const isQuiet = context.progress.warnings.length === warningsBefore;
  const isWork = !isThrownAway && (!isQuiet || isWorthKeeping(settled, failed));
  const isKept = isWork || (await place.discard?.(context)) !== true;
  const evidence = {
    ...(isKept ? settled : withoutPlace(settled, context)),
    ...(answer !== undefined && { output: answer.value, provenance: answer.provenance }),
  };
  const typed = isOwnReason(error, signal) ? error : storageError(error);
  const located = await withEvidence(context, typed, evidence);
  const failure = isOwnReason(located, signal) ? located : maskValue(located, context.mask);
  await recordRunOutcome(context, { error: failure });
  await keepRun(context, { answer, error: failure, commits: settled.commits });
  tellInterruptedRun(context, failure, evidence);
  context.emit({ type: 'run-end', evidence, error: failure });
  return failure;
}

/** An abort rejects with the caller's own reason, unchanged. */
export function isOwnReason(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && signal.reason === error;
}

/**
 * After an abort or an invalid answer, a clean worktree is kept too: the caller decides how to
 * continue there.
 */
function isWorthKeeping(
  { commits, recovered, sensitiveChanges = [] }: RunEvidence,
  { error, signal }: RunFailure,
): boolean {
  const hasWork = commits.length > 0 || recovered !== undefined || sensitiveChanges.length > 0;
  return hasWork || StructuredOutputError.isInstance(error) || signal?.aborted === true;
}

/** Git itself can fail, for example on a full disk. The place of the work is known without git. */
function incomplete({ workspace, progress, warn }: WorkingContext, error: unknown): RunEvidence {
  warn(`The evidence is incomplete: ${messageOf(error)}`);
  const { branch, path, strategy } = workspace.worktree;
  const { sessionId } = progress;
  return {
    commits: [],
    ...(branch !== undefined && { branch }),
    ...(strategy.type !== 'head' && { preservedWorktreePath: path }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

/** Evidence of a read-only run, whose work is thrown away. */
function evidenceOf({ progress }: WorkingContext): RunEvidence {
  const usage = totalUsage(progress);
  const { sessionId, sessionFilePath } = progress;
  return {
    commits: [],
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  };
}

function withoutPlace(evidence: RunEvidence, { workspace }: WorkingContext): RunEvidence {
  const { preservedWorktreePath: _path, branch, ...rest } = evidence;
  return { ...rest, ...(branch !== undefined && !workspace.worktree.isNewBranch && { branch }) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * An abort rejects with the caller's own reason, unchanged. The evidence is then in the last event
 * and in a file next to the log.
 */
async function withEvidence(
  { log, warn }: RunContext,
  error: unknown,
  evidence: RunEvidence,
): Promise<unknown> {
  const located = { ...evidence, ...(log.path !== undefined && { logFilePath: log.path }) };
  if (EvidenceError.isInstance(error)) return attachEvidence(error, located);
  await log
    .writeEvidence(located)
    .catch((cause: unknown) =>
      warn(`The evidence could not be written next to the log: ${messageOf(cause)}`),
    );
  return error;
}

/**
 * Writes the log of a run that could not open its place, and returns the error with the log's path.
 * Without a log of its own name, other errors are not logged: another run can be using the
 * branch.
 */
export async function endUnopenedRun(
  context: RunContext,
  repository: Repository,
  error: unknown,
): Promise<unknown> {
  const { options, log, emit, mask } = context;
  const { branchStrategy, logging } = options;
  const isNamed = logging.type === 'file' && logging.path !== undefined;
  if (!SandboxError.isInstance(error) && !isNamed) return error;
  try {
    await log.open(branchStrategy.type === 'branch' ? branchStrategy.branch : repository.branch);
  } catch {
    // The reason why the sandbox did not start is more important than its log.
    return error;
  }
  const evidence = { commits: [], ...(log.path !== undefined && { logFilePath: log.path }) };
  const failure = maskValue(SandboxError.isInstance(error) ? attachEvidence(error, evidence) : error, mask);
  emit({ type: 'run-end', evidence, error: failure });
  return failure;
}
