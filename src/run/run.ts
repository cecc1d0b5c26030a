/** Owns `run()`: the story of a run from its options to its typed answer, stage by stage. */
import { attachEvidence, EvidenceError, type RunEvidence } from '../errors/run-evidence.ts';
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import { runForAnswer, runIterations, type RunAnswer } from './answer-run.ts';
import { createEventStream, toRunPromise, type EventStream } from './event-stream.ts';
import { normalizeRunOptions, type NormalizedRunOptions } from './normalize-run-options.ts';
import { openWorkspace } from './open-workspace.ts';
import { recordOutcome } from './record-outcome.ts';
import { assertTagInPrompt, prepareRun, type PreparedRun } from './prepare-run.ts';
import { expandPrompt } from './prompt/expand-prompt.ts';
import { createRunContext } from './create-run-context.ts';
import type { RunContext, WorkingContext } from './run-context.ts';
import type { RunPromise } from './run-events.ts';
import type { RunOptions, RunOptionsWithOutput, RunResult, RunResultWithOutput } from './run-options.ts';
import { createRunStop } from './run-stop.ts';
import { settleFailure, settleSuccess } from './settle-run.ts';
import { toRunResult } from './to-run-result.ts';

/**
 * Runs a coding agent on a branch in a sandbox, and resolves to its typed answer beside its commits.
 *
 * Every refusal comes before any branch, worktree or sandbox exists. The answer is judged before anything is merged; with retries, a wrong one is told to
 * the agent in the same session, sandbox and worktree. The promise is also an async iterable of the run's events.
 *
 * @throws UsageError for a call that cannot work; StructuredOutputError when there is no valid answer; AgentError, SandboxError, RepositoryError,
 * LimitError with what the agent left behind; the signal's reason on abort
 *
 * @example
 * ```ts
 * const { output, commits } = await run({
 *   agent: claudeCode('claude-opus-4-8'),
 *   sandbox: bubblewrap(),
 *   branchStrategy: { type: 'merge-to-head' },
 *   prompt: 'Fix the failing test. Answer with {"cause": string} in a <result> tag.',
 *   output: Output.object({ tag: 'result', schema: z.object({ cause: z.string() }), maxRetries: 2 }),
 * });
 * console.log(output.cause, commits.length);
 * ```
 */
export function run<TDefinition extends AnyOutputDefinition>(
  options: RunOptionsWithOutput<TDefinition>,
): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
export function run(options: RunOptions): RunPromise<RunResult>;
export function run(options: RunOptions): RunPromise<RunResult> {
  const events = createEventStream();
  return toRunPromise(start(options, events), events);
}

async function start(options: RunOptions, events: EventStream): Promise<RunResult> {
  try {
    options.signal?.throwIfAborted();
    const normalized = normalizeRunOptions(options);
    const result = await prepareAndWork(options, normalized, events);
    events.end();
    return result;
  } catch (error) {
    events.end({ error });
    throw error;
  }
}

async function prepareAndWork(
  options: RunOptions,
  normalized: NormalizedRunOptions,
  events: EventStream,
): Promise<RunResult> {
  const stop = createRunStop(options.signal, normalized.timeoutMs);
  try {
    const prepared = await prepareRun(normalized, stop.signal);
    const context = createRunContext({ options: normalized, prepared, stop, events });
    try {
      return await workAndSettle(context, prepared, options);
    } finally {
      await context.log.close();
    }
  } finally {
    stop.dispose();
  }
}

async function workAndSettle(
  context: RunContext,
  prepared: PreparedRun,
  options: RunOptions,
): Promise<RunResult> {
  const workspace = await openWorkspace(context, prepared);
  const working: WorkingContext = { ...context, workspace };
  let answer: RunAnswer | undefined;
  try {
    await context.log.open(workspace.worktree.branch);
    tellStart(working);
    answer = await work(working, prepared);
    await workspace.close();
    const settled = await settleSuccess(working);
    await recordOutcome(working, { answer });
    const result = toRunResult(working, settled, answer, { options, run });
    context.emit({ type: 'run-end', evidence: { commits: settled.commits, branch: settled.branch } });
    return result;
  } catch (error) {
    await workspace.close();
    const evidence = {
      ...(await settleFailure(working)),
      ...(answer !== undefined && { output: answer.value, provenance: answer.provenance }),
    };
    const failure = await withEvidence(context, error, evidence);
    await recordOutcome(working, { error: failure });
    context.emit({ type: 'run-end', evidence, error: failure });
    throw failure;
  } finally {
    await workspace.worktree.lock.release();
  }
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
  emit({ type: 'sandbox-ready', ...(handle.egress !== undefined && { egress: handle.egress }) });
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
