/** Run workflow at a place, stage by stage: from its options to its typed answer. */
import {
  attachEvidence,
  EvidenceError,
  type RunEvidence,
} from '@truecast/core/internal/errors/base/run-evidence';
import { runForAnswer, type RunAnswer } from './retry-answer.ts';
import { runIterations } from './run-iterations.ts';
import { createRunContext } from './create-run-context.ts';
import { createEventStream, toRunPromise, type EventStream } from '../events/event-stream.ts';
import { maskError } from '../../masking/mask-error.ts';
import { createRunMask } from '../../masking/secret-mask.ts';
import { normalizeRunOptions, type NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { RunPlace } from '../places/run-place.ts';
import { startEarlyReads, type EarlyReads } from '../settle/early-reads.ts';
import { observeSandbox } from './observe-sandbox.ts';
import { assertTagInPrompt, prepareRun, type PreparedRun } from '../prepare/prepare-run.ts';
import { expandPrompt } from '../prompt/expand-prompt.ts';
import { reportSecrets } from './report-secrets.ts';
import { recordRunOutcome } from './record-outcome.ts';
import type { RunContext, WorkingContext } from '../context/run-context.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { RunOptions, RunResult } from '../options/run-options.ts';
import { createRunStop } from '../context/run-stop.ts';
import { describeEgress } from '../../sandboxes/egress/egress-policy.ts';
import { settleFailure } from '../settle/settle-run.ts';
import { toRunResult } from './to-run-result.ts';

/** Runs an agent at a place. Sessions of its result continue at the same place. */
export function runAt(place: RunPlace, options: RunOptions): RunPromise<RunResult> {
  const events = createEventStream();
  return toRunPromise(start(place, options, events), events);
}

async function start(place: RunPlace, options: RunOptions, events: EventStream): Promise<RunResult> {
  try {
    options.signal?.throwIfAborted();
    const normalized = normalizeRunOptions(options);
    const result = await prepareAndWork(place, options, normalized, events);
    events.end();
    return result;
  } catch (error) {
    events.end({ error });
    throw error;
  }
}

async function prepareAndWork(
  place: RunPlace,
  options: RunOptions,
  normalized: NormalizedRunOptions,
  events: EventStream,
): Promise<RunResult> {
  const stop = createRunStop(options.signal, normalized.timeoutMs);
  let mask = createRunMask({ inside: declaredEnv(normalized), host: process.env });
  try {
    const prepared = await prepareRun(normalized, stop.signal);
    mask = createRunMask(prepared.environment);
    const context = createRunContext({ options: normalized, prepared, stop, events, mask });
    try {
      return await workAndSettle(place, context, prepared, options);
    } finally {
      await context.recorder?.close();
      await context.log.close();
    }
  } catch (error) {
    throw isOwnReason(error, options) ? error : maskError(error, mask);
  } finally {
    stop.dispose();
  }
}

async function workAndSettle(
  place: RunPlace,
  context: RunContext,
  prepared: PreparedRun,
  options: RunOptions,
): Promise<RunResult> {
  const workspace = await place.open(context, prepared);
  const working: WorkingContext = { ...context, workspace };
  let answer: RunAnswer | undefined;
  const observed = observeSandbox(working);
  try {
    await context.log.open(workspace.worktree.branch);
    tellStart(working);
    const found = await work(working, prepared);
    reportSecrets(working, found);
    // Assigned only now, because a rejected answer is not evidence.
    answer = found;
    let early: EarlyReads | undefined;
    await workspace.close(() => {
      early = startEarlyReads(working);
    });
    observed.closeBudget();
    // An aborted run is never merged, even if the place returned an answer.
    working.stop.signal.throwIfAborted();
    const settled = await place.settle({ ...working, early });
    await recordRunOutcome(working, { answer });
    const result = toRunResult(working, settled, answer, {
      options,
      run: (next) => runAt(place, next),
    });
    context.emit({ type: 'run-end', evidence: { commits: settled.commits, branch: settled.branch } });
    return result;
  } catch (error) {
    // The first error is kept. The error of closing becomes a warning, which names where the work
    // is.
    await workspace.close().catch((closing: unknown) => context.warn(messageOf(closing)));
    const evidence = {
      ...(await settleFailure(working)),
      ...(answer !== undefined && { output: answer.value, provenance: answer.provenance }),
    };
    const located = await withEvidence(context, error, evidence);
    const failure = isOwnReason(located, options) ? located : maskError(located, context.mask);
    await recordRunOutcome(working, { error: failure });
    context.emit({ type: 'run-end', evidence, error: failure });
    throw failure;
  } finally {
    observed.closeBudget();
    observed.end();
    await place.leave(workspace);
  }
}

/** An abort rejects with the caller's own reason, unchanged. */
function isOwnReason(error: unknown, { signal }: RunOptions): boolean {
  return signal?.aborted === true && signal.reason === error;
}

/** Variables declared in the options, for errors before `.truecast/.env` was read. */
function declaredEnv({ sandbox, agent, env }: NormalizedRunOptions): Readonly<Record<string, string>> {
  return { ...sandbox.env, ...agent.env, ...env };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tellStart({ options, workspace, emit, log }: WorkingContext): void {
  const { worktree, handle } = workspace;
  emit({
    type: 'run-start',
    agent: options.agent.name,
    sandbox: options.sandbox.name,
    branch: worktree.branch ?? 'HEAD',
    worktreePath: worktree.path,
    ...(log.path !== undefined && { logFilePath: log.path }),
  });
  emit({
    type: 'sandbox-ready',
    ...(handle.egress !== undefined && { egress: describeEgress(handle.egress) }),
    enforcesEgress: handle.enforcesEgress === true,
    ...(handle.unenforcedLimits !== undefined && { unenforcedLimits: handle.unenforcedLimits }),
  });
}

async function work(context: WorkingContext, prepared: PreparedRun): Promise<RunAnswer | undefined> {
  const { options, workspace, stop } = context;
  const prompt = await expandPrompt(prepared.prompt, {
    builtIns: {
      SOURCE_BRANCH: workspace.worktree.branch ?? 'HEAD',
      TARGET_BRANCH: prepared.repository.branch ?? 'HEAD',
    },
    exec: (command, signal) =>
      workspace.handle.exec(command, { signal: AbortSignal.any([stop.signal, signal]) }),
  });
  if (options.output === undefined || options.route === undefined) {
    await runIterations(context, prompt);
    return undefined;
  }
  assertTagInPrompt(options.output, prompt);
  return runForAnswer(context, prompt, options.output, options.route);
}

/**
 * An abort rejects with the caller's own reason, unchanged. The evidence is then in the last event
 * and in a file next to the log.
 */
async function withEvidence({ log }: RunContext, error: unknown, evidence: RunEvidence): Promise<unknown> {
  const located = { ...evidence, ...(log.path !== undefined && { logFilePath: log.path }) };
  if (EvidenceError.isInstance(error)) return attachEvidence(error, located);
  await log.writeEvidence(located);
  return error;
}
