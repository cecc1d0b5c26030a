/** Owns the story of a run at a place, stage by stage: from its options to its typed answer. */
import { attachEvidence, EvidenceError, type RunEvidence } from '../errors/run-evidence.ts';
import { runForAnswer, runIterations, type RunAnswer } from './answer-run.ts';
import { createRunContext } from './create-run-context.ts';
import { createEventStream, toRunPromise, type EventStream } from './event-stream.ts';
import { normalizeRunOptions, type NormalizedRunOptions } from './normalize-run-options.ts';
import type { RunPlace } from './places/run-place.ts';
import { observeSandbox } from './observe-sandbox.ts';
import { assertTagInPrompt, prepareRun, type PreparedRun } from './prepare-run.ts';
import { expandPrompt } from './prompt/expand-prompt.ts';
import { recordOutcome } from './record-outcome.ts';
import type { RunContext, WorkingContext } from './run-context.ts';
import type { RunPromise } from './run-events.ts';
import type { RunOptions, RunResult } from './run-options.ts';
import { createRunStop } from './run-stop.ts';
import { describeEgress } from './sandboxes/egress/egress-policy.ts';
import { settleFailure } from './settle-run.ts';
import { toRunResult } from './to-run-result.ts';

/** Runs an agent at a place; sessions of its result are continued at the same place. */
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
  try {
    const prepared = await prepareRun(normalized, stop.signal);
    const context = createRunContext({ options: normalized, prepared, stop, events });
    try {
      return await workAndSettle(place, context, prepared, options);
    } finally {
      context.recorder?.close();
      await context.log.close();
    }
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
  const unobserve = observeSandbox(working);
  try {
    await context.log.open(workspace.worktree.branch);
    tellStart(working);
    answer = await work(working, prepared);
    await workspace.close();
    const settled = await place.settle(working);
    await recordOutcome(working, { answer });
    const result = toRunResult(working, settled, answer, {
      options,
      run: (next) => runAt(place, next),
    });
    context.emit({ type: 'run-end', evidence: { commits: settled.commits, branch: settled.branch } });
    return result;
  } catch (error) {
    // The first cause stands; what closing says names where the work is.
    await workspace.close().catch((closing: unknown) => context.warn(messageOf(closing)));
    const evidence = {
      ...(await settleFailure(working)),
      ...(answer !== undefined && { output: answer.value, provenance: answer.provenance }),
    };
    const failure = await withEvidence(context, error, evidence);
    await recordOutcome(working, { error: failure });
    context.emit({ type: 'run-end', evidence, error: failure });
    throw failure;
  } finally {
    unobserve();
    await place.leave(workspace);
  }
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

/** An abort rejects with the caller's own reason, untouched: the evidence then stands in the last event and beside the log. */
async function withEvidence({ log }: RunContext, error: unknown, evidence: RunEvidence): Promise<unknown> {
  const located = { ...evidence, ...(log.path !== undefined && { logFilePath: log.path }) };
  if (EvidenceError.isInstance(error)) return attachEvidence(error, located);
  await log.writeEvidence(located);
  return error;
}
