/** Endings of an execution: from the result of `run()`, from its error, or after an abort. Pure. */
import type { AgentRunAttempt } from '@truecast/client/internal/wire/runs/agent-run';

import { EvidenceError, type RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { EndedRun } from './begin-run.ts';
import type { RunResultWithOutput } from 'truecast/internal/run/options/run-options';
import { toReceiptUsage } from '../../contract/receipt.ts';
import type { ExecutionEnding, RunLoss, RunOutcome } from '../../runs/agent-executor.ts';
import { valueText } from './value-text.ts';
import { toRunFailure, toSnakeCase } from './run-failure.ts';

const MAX_TEXT_CHARS: number = 256 * 1024;
const MAX_LISTED = 200;

/** Facts that only the worker knows. */
export interface WorkFacts {
  /** Commit before the first agent. */
  readonly baseSha: string | undefined;
  readonly warnings: readonly string[];
  /** Branches on which earlier agents worked. */
  readonly earlierBranches?: readonly string[] | undefined;
  /** Work in the run's last event. Undefined if the place never opened. */
  readonly evidence: Work | undefined;
}

/** Ending of a run with a result. */
export function succeededEnding(
  result: EndedRun,
  { earlierBranches, baseSha }: Partial<Pick<WorkFacts, 'earlierBranches' | 'baseSha'>> = {},
): ExecutionEnding {
  const { commits, branch, usage, commitsSince, warnings } = result;
  return {
    status: 'succeeded',
    // The result of a read-only run does not name its start.
    ...workOf({ commits, branch, usage }, { baseSha: commitsSince ?? baseSha, warnings, earlierBranches }),
    ...answerOf(result),
  };
}

/** Ending after an abort. The work stays on the branch. */
export function stoppedEnding({ evidence, ...facts }: WorkFacts): ExecutionEnding {
  return { status: 'stopped', ...workOf(evidence ?? { commits: [] }, facts) };
}

/** Ending of a run that failed. Undefined for a fault of the server. */
export function failedEnding(error: unknown, facts: WorkFacts): ExecutionEnding | undefined {
  const failure = toRunFailure(error);
  if (failure === undefined) return undefined;
  const evidence = EvidenceError.isInstance(error) ? error : facts.evidence;
  const attempts = StructuredOutputError.isInstance(error) ? toAttempts(error.attempts) : undefined;
  return {
    status: 'failed',
    error: failure,
    ...workOf(evidence ?? { commits: [] }, facts),
    ...(attempts !== undefined && { attempts }),
  };
}

/** Ending of a run whose work is lost. Its row keeps the commits that were stored, and an accepted answer is evidence. */
export function lostEnding(
  reason: RunLoss,
  { text, valueText: value }: Pick<RunOutcome, 'valueText' | 'text'>,
  { baseSha, earlierBranches = [] }: Pick<WorkFacts, 'baseSha' | 'earlierBranches'>,
): ExecutionEnding {
  return {
    status: 'lost',
    reason,
    ...(baseSha !== undefined && { baseSha }),
    ...(earlierBranches.length > 0 && { earlierBranches }),
    ...(text !== undefined && { text: endOf(text) }),
    ...(value !== undefined && { valueText: value }),
  };
}

type Work = Pick<RunEvidence, 'commits' | 'branch' | 'usage'>;

function workOf(
  { commits, branch, usage }: { readonly [K in keyof Work]?: Work[K] | undefined },
  { baseSha, warnings, earlierBranches = [] }: Omit<WorkFacts, 'evidence'>,
): RunOutcome {
  const shas = (commits ?? []).map(({ sha }) => sha);
  const headSha = shas.at(-1) ?? baseSha;
  return {
    commits: shas,
    warnings: warnings.slice(0, MAX_LISTED),
    ...(earlierBranches.length > 0 && { earlierBranches }),
    ...(baseSha !== undefined && { baseSha }),
    ...(headSha !== undefined && { headSha }),
    ...(branch !== undefined && { branch }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
  };
}

function answerOf(result: EndedRun): RunOutcome {
  if (!isTyped(result)) return { text: endOf(result.stdout) };
  const { output, provenance } = result;
  const { mode, model, attempts, repairs } = provenance;
  return {
    ...(typeof output === 'string' ? { text: endOf(output) } : { valueText: valueText(result) }),
    mode,
    attempts: toAttempts(attempts),
    ...(repairs.length > 0 && { repairs: repairs.map(({ kind }) => toSnakeCase(kind)) }),
    ...(model !== undefined && { model }),
  };
}

function isTyped(
  result: EndedRun,
): result is EndedRun & Pick<RunResultWithOutput<unknown>, 'output' | 'provenance'> {
  return 'output' in result;
}

function toAttempts(attempts: Provenance['attempts']): readonly AgentRunAttempt[] {
  return attempts.slice(-MAX_LISTED).map(({ code, message }) => ({ code: toSnakeCase(code), message }));
}

function endOf(text: string): string {
  return text.slice(-MAX_TEXT_CHARS).toWellFormed();
}
