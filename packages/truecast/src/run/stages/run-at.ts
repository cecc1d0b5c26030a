/** Run workflow at a place, stage by stage: from its options to its typed answer. */
import { warnAboutSignatures } from '../prepare/warn-about-own-git.ts';
import { doWork } from './do-work.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import { storageError } from '../../support/storage-error.ts';
import { endFailedRun, isOwnReason, endUnopenedRun } from './end-failed-run.ts';
import { createRunContext } from './create-run-context.ts';
import { createEventStream, toRunPromise, type EventStream } from '../events/event-stream.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { RunMask } from '@truecast/host/internal/masking/secret-mask';
import { logRefusal } from '../logging/log-file.ts';
import { normalizeRunOptions, type NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { RunPlace } from '../places/run-place.ts';
import { startEarlyReads, type EarlyReads } from '../settle/early-reads.ts';
import { keepRun } from '../settle/keep-run.ts';
import { tellEndOfRun, tellStartOfRun } from '../settle/tell-place.ts';
import { observeSandbox } from './observe-sandbox.ts';
import { prepareRun, type PreparedRun } from '../prepare/prepare-run.ts';
import { finishedRun, restoreTurns } from './finished-run.ts';
import { assertRepeatable } from '../executions/run-id.ts';
import type { Execution } from '../executions/execution.ts';
import { openExecution } from '../executions/open-execution.ts';
import { reportSecrets } from './report-secrets.ts';
import { recordRunOutcome } from './record-outcome.ts';
import type { RunContext, WorkingContext } from '../context/run-context.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { AnyRunOptions, AnyRunResult } from '../options/read-only.ts';
import { createRunStop } from '../context/run-stop.ts';
import { describeEgress } from '../../sandboxes/egress/egress-policy.ts';
import { traceRun } from '../context/trace-run.ts';
import type { KnownOfWork } from '../settle/land-branch.ts';
import { mergeCheckOf } from '../verify/merge-check.ts';
import { firstWarning, verifyCommit } from '../verify/verify-answer.ts';
import { isAnswer } from '@truecast/core/internal/output/definition/outcome';
import { toRunResult } from './to-run-result.ts';

/**
 * Runs an agent at a place. `resume` and `fork` of its result continue at the same place.
 */
export function runAt(
  place: RunPlace,
  options: AnyRunOptions,
  call: CallOfRun = {},
): RunPromise<AnyRunResult> {
  const events = createEventStream();
  return toRunPromise(start(place, options, events, call), events);
}

/** Differences between the calls that start a run. */
export interface CallOfRun {
  /** Throws for options that the place determines. */
  assertAsked?(): void;
}

async function start(
  place: RunPlace,
  options: AnyRunOptions,
  events: EventStream,
  call: CallOfRun,
): Promise<AnyRunResult> {
  try {
    // From JavaScript, the options themselves can be missing.
    abortNow((options as AnyRunOptions | undefined)?.signal);
    const mask = new RunMask();
    mask.learn({ host: process.env });
    const given = await normalizeOrLog(options, { ...call, place }, mask);
    const normalized = { ...given, isThrownAway: given.isThrownAway || place.isThrownAway === true };
    const result = await prepareAndWork(place, options, normalized, { events, mask });
    events.end();
    return result;
  } catch (error) {
    events.end({ error });
    throw error;
  }
}

/** Another value than a signal is refused with the other options. */
function abortNow(signal: unknown): void {
  if (signal instanceof AbortSignal) signal.throwIfAborted();
}

async function normalizeOrLog(
  options: AnyRunOptions,
  { place, ...call }: CallOfRun & { readonly place: RunPlace },
  mask: RunMask,
): Promise<NormalizedRunOptions> {
  try {
    call.assertAsked?.();
    assertRepeatable(options, place.isTemporary === true);
    return normalizeRunOptions(options);
  } catch (error) {
    await logRefusal(options ?? {}, error, mask);
    throw error;
  }
}

async function prepareAndWork(
  place: RunPlace,
  options: AnyRunOptions,
  normalized: NormalizedRunOptions,
  { events, mask }: { readonly events: EventStream; readonly mask: RunMask },
): Promise<AnyRunResult> {
  mask.learn({ inside: declaredEnv(normalized) });
  // Last before `try`: it listens to signals of the process until it is disposed.
  const stop = createRunStop(options.signal, normalized.timeoutMs);
  try {
    const prepared = await prepareRun(normalized, stop.signal).catch(async (error: unknown) => {
      await logRefusal(normalized, error, mask);
      throw error;
    });
    mask.learn(prepared.environment);
    const opened = await openExecution(normalized, prepared, stop.signal).catch(async (error: unknown) => {
      await prepared.removeCopy();
      throw error;
    });
    const context = createRunContext({ ...opened, prepared, stop, events, mask });
    const asked = continuable(options, opened.options);
    let result: AnyRunResult | undefined;
    let cut: unknown;
    try {
      result = await traceRun(context, prepared.environment.inside, (traced) =>
        workAndSettle(place, traced, { prepared, options: asked, execution: opened.execution }),
      );
    } finally {
      await context.recorder?.close();
      cut = await context.log.close();
      await prepared.removeCopy();
      await context.execution?.close();
    }
    return cut === undefined ? result : { ...result, warnings: [...result.warnings, describeCut(cut)] };
  } catch (error) {
    throw isOwnReason(error, options.signal) ? error : maskValue(storageError(error), mask);
  } finally {
    stop.dispose();
  }
}

/**
 * Options of a run that continues this one: a continued session works on the same branch, also on one
 * that was chosen by default. It is another run, so it has not this id.
 */
function continuable(
  { id: _id, onCheckpoint: _onCheckpoint, ...asked }: AnyRunOptions,
  { branchStrategy, hasDefaultBranch, isThrownAway }: NormalizedRunOptions,
): AnyRunOptions {
  return isThrownAway || !hasDefaultBranch ? asked : { ...asked, branchStrategy };
}

const OPEN_SPAN = { name: 'truecast.open_place', kind: 'internal', attributes: {} } as const;
const SETTLE_SPAN = { name: 'truecast.settle', kind: 'internal', attributes: {} } as const;

/** A call whose options are valid. */
interface StartedCall {
  readonly prepared: PreparedRun;
  readonly options: AnyRunOptions;
  readonly execution: Execution | undefined;
}

async function workAndSettle(
  place: RunPlace,
  context: RunContext,
  { prepared, options, execution }: StartedCall,
): Promise<AnyRunResult> {
  const continuation = { options, run: (next: AnyRunOptions) => runAt(place, next) };
  if (execution?.decision === 'return') {
    return finishedRun(context, execution, { ...continuation, repository: prepared.repository });
  }
  if (execution !== undefined) restoreTurns(context, execution);
  const workspace = await context
    .trace(OPEN_SPAN, () => place.open(context, prepared))
    .catch(async (error: unknown) => {
      throw await endUnopenedRun(context, prepared.repository, error);
    });
  const working: WorkingContext = { ...context, workspace };
  let answer: RunAnswer | undefined;
  const observed = observeSandbox(working);
  try {
    await context.log.open(workspace.worktree.branch);
    tellStart(working);
    tellStartOfRun(working);
    await execution?.opened(working, workspace);
    const found = await doWork(working, prepared, execution);
    reportSecrets(working, found);
    await execution?.answered(working, found);
    // Assigned only now, because a rejected answer is not evidence.
    answer = found;
    let early: EarlyReads | undefined;
    await workspace.close(() => {
      if (!working.options.isThrownAway) early = startEarlyReads(working);
    });
    observed.closeBudget();
    // An aborted run is never merged, even if the place returned an answer.
    working.stop.signal.throwIfAborted();
    const work = await context.trace(SETTLE_SPAN, () =>
      place.settle(working, { early, ...knownOf(working, found) }),
    );
    const settled = execution === undefined ? work : await execution.ended(working, work);
    tellClosedMode(working, settled.commits.length);
    await warnAboutSignatures(
      { sandbox: working.options.sandbox, worktree: workspace.worktree, warn: working.warn },
      settled.commits,
    ).catch((error: unknown) => working.warn(`signatures: ${String(error)}`));
    await recordRunOutcome(working, { answer });
    await keepRun(working, { answer, commits: settled.commits });
    const result = toRunResult(working, settled, answer, continuation);
    tellEndOfRun(working, result);
    const { commits, branch } = settled;
    context.emit({
      type: 'run-end',
      evidence: { commits, ...(!working.options.isThrownAway && { branch }) },
    });
    return result;
  } catch (error) {
    throw await endFailedRun(place, working, { error, answer, signal: options.signal });
  } finally {
    observed.closeBudget();
    observed.end();
    await place.leave(workspace);
  }
}

/** A mode that refuses tools is the most common reason for a run without work. */
function tellClosedMode({ options, progress, warn }: WorkingContext, commitCount: number): void {
  const { closedMode } = progress;
  if (closedMode === undefined || commitCount > 0 || options.isThrownAway) return;
  warn(
    `The agent \`${options.agent.name}\` made no commit in its mode \`${closedMode.id}\`, in which it can refuse its own tools. If it should have, set \`mode: '${closedMode.openId}'\`.`,
  );
}

/** What settling can rely on. The work of a question or a refusal stays on its branch. */
function knownOf(context: WorkingContext, answer: RunAnswer | undefined): Omit<KnownOfWork, 'early'> {
  const { options, workspace, signal } = context;
  const isHeldBack = !isAnswer(answer?.value, options.output);
  const warn = firstWarning(context);
  return {
    isHeldBack,
    mergeCheck: mergeCheckOf({ branchStrategy: options.branchStrategy, workspace, signal, warn }),
    ...(!isHeldBack && { checked: checkedOf(context, answer) }),
  };
}

function checkedOf(context: WorkingContext, answer: RunAnswer | undefined): KnownOfWork['checked'] {
  const { output, branchStrategy, isThrownAway } = context.options;
  if (answer === undefined || output === undefined || !answer.isTreeChecked || isThrownAway) return undefined;
  const { value, provenance } = answer;
  const { check } = provenance;
  if (check === undefined) return branchStrategy.type === 'head' ? 'files' : undefined;
  return {
    commit: check.commit,
    verify: (commit) =>
      verifyCommit(context, output, { answer: { success: true, output: value, provenance }, commit }),
  };
}

function describeCut(cause: unknown): string {
  return `The log is incomplete: ${cause instanceof Error ? cause.message : String(cause)}.`;
}

/** Variables declared in the options, for errors before `.truecast/.env` was read. */
function declaredEnv({ sandbox, agent, env }: NormalizedRunOptions): Readonly<Record<string, string>> {
  return { ...sandbox.env, ...agent.env, ...env };
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
