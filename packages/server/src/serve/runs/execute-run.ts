/**
 * Execution of a claimed agent run with `run({ id })`. On the machine of an earlier execution, it
 * continues what that one left, or returns its stored result.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { git } from 'truecast/internal/git/command/git';
import { findAgent } from 'truecast/internal/agents/registry/agents';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { RunPromise } from 'truecast/internal/run/events/run-events';
import type { ExecutionRecord } from 'truecast/internal/run/executions/execution-record';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import type { ClaimedRun, ExecutionEnding, RunLoss, RunReport } from '../../runs/agent-executor.ts';
import { openContinuation, type ContinuedOptions } from './open-continuation.ts';
import { openCheckpoints, type RunCheckpoints } from './checkpoints.ts';
import { failedEnding, lostEnding, stoppedEnding, succeededEnding, type WorkFacts } from './run-endings.ts';
import { toWorkEvents } from './run-events.ts';
import { toRunOutput, toRunPrompt } from './run-output.ts';
import { beginRun, type EndedRun } from './begin-run.ts';
import { loggingOf } from './store-artifacts.ts';
import { takeOver, type RunRepository } from './take-over.ts';
import { storedAnswer } from './value-text.ts';

/** The configuration of a worker. */
export interface ExecutorParts {
  readonly agents: readonly string[];
  readonly sandbox: SandboxProvider;
  readonly repositories: ReadonlyMap<string, RunRepository>;
  /** True if each agent is recorded. @default false */
  readonly isRecorded?: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 3_600;
/** For an accepted answer whose worker was lost. No agent works in this time. */
const LANDING_MS = 120_000;
/** For a process that lost its lease, and has not ended yet. */
const LOCK_TRIES = 20;
const RETRY_MS = 1_000;
const GIT_TIMEOUT_MS = 60_000;

/** Executes the run to its end. Resolves for each failure of the run, and after an abort. */
export async function executeRun(
  parts: ExecutorParts,
  claimed: ClaimedRun,
  report: RunReport,
): Promise<ExecutionEnding> {
  const claimedMs = performance.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([report.signal, stop.signal]);
  const seen: Seen = {
    baseSha: claimed.earlier?.baseSha,
    evidence: undefined,
    warnings: [],
    earlierBranches: [],
  };
  let record: ExecutionRecord | undefined;
  let checkpoints: RunCheckpoints | undefined;
  const lose = async (reason: RunLoss): Promise<ExecutionEnding> =>
    lostEnding(reason, await storedAnswer(record, claimed.request, agentOf(parts, claimed)), seen);
  try {
    const { path, stateFolder, commonDir } = repositoryOf(parts, claimed);
    if (signal.aborted) {
      record = openExecutionStore(stateFolder, claimed.id).read();
      return stoppedEnding({ ...seen, evidence: await leftWork(path, record) });
    }
    const agent = agentOf(parts, claimed);
    const place = { path, stateFolder, commonDir, agent, sandbox: parts.sandbox };
    const taken = await takeOver(place, claimed, report);
    ({ record } = taken);
    if (taken.type === 'lost') return await lose(taken.reason);
    seen.earlierBranches = taken.earlierBranches;
    const isAnswered = record?.phase === 'answered' || record?.phase === 'ended';
    const how = { claimedMs, isAnswered, agent, branch: taken.branch };
    const { warning, ...asked } = await toRunOptions(parts, claimed, how);
    if (warning !== undefined) {
      seen.warnings.push(warning);
      report.event({ type: 'warning', message: warning });
    }
    checkpoints = openCheckpoints(place, claimed.id, taken.earlierBranches);
    const onCheckpoint = checkpoints.storeIn({ report, seen, signal, stop });
    const options = { ...asked, cwd: path, signal, onCheckpoint };
    const start = (): Promise<EndedRun> => watched(beginRun(options, claimed.request), report, seen);
    const ending = succeededEnding(await onceUnlocked(start, claimed, signal), seen);
    // run() does not know this warning.
    return warning === undefined ? ending : { ...ending, warnings: [warning, ...(ending.warnings ?? [])] };
  } catch (error) {
    if (report.signal.aborted || InterruptedError.isInstance(error)) {
      // The next worker can be on another machine.
      const last = report.signal.reason === 'canceled' ? undefined : await checkpoints?.last();
      if (last !== undefined) await report.note(last).catch(() => undefined);
      return stoppedEnding(seen);
    }
    if (stop.signal.aborted) {
      if (isRefused(stop.signal.reason)) return stoppedEnding(seen);
      // A fault of the server, which must not look like the end of its process.
      throw stop.signal.reason;
    }
    const loss = lossOf(error, record, claimed);
    const ending = loss === undefined ? failedEnding(error, seen) : await lose(loss);
    if (ending === undefined) throw error;
    return ending;
  }
}

/** Facts from the events of a run. */
type Seen = { -readonly [K in keyof WorkFacts]: WorkFacts[K] } & { readonly warnings: string[] };

/** Reports the events of a run, and returns its result. */
async function watched(
  running: RunPromise<EndedRun>,
  { event: tell, note }: RunReport,
  seen: Seen,
): Promise<EndedRun> {
  const watch = async (): Promise<void> => {
    for await (const event of running) {
      for (const each of toWorkEvents(event)) tell(each);
      // An agent continues. What its last turn left must not wait for the next checkpoint.
      if (event.type === 'iteration-start' && event.iteration > 1) void note({}).catch(() => undefined);
      if (event.type === 'warning') seen.warnings.push(event.message);
      if (event.type === 'run-end') seen.evidence = event.evidence;
    }
  };
  const [settled] = await Promise.allSettled([running, watch()]);
  if (settled.status === 'fulfilled') return settled.value;
  throw settled.reason;
}

/** @throws UsageError for a run that another configuration accepted */
function repositoryOf({ repositories }: ExecutorParts, { request }: ClaimedRun): RunRepository {
  const repository = repositories.get(request.repository);
  if (repository !== undefined) return repository;
  throw new UsageError(
    `This worker has no repository \`${request.repository}\`. Add it to \`repositories\` in its configuration.`,
  );
}

/** Work of an earlier execution, for a run that was canceled after its worker was lost. */
async function leftWork(
  cwd: string,
  record: ExecutionRecord | undefined,
): Promise<Pick<RunEvidence, 'commits' | 'branch'>> {
  const { branch, commitsSince } = record ?? {};
  if (branch === undefined || commitsSince === undefined) return { commits: [] };
  const range = ['rev-list', '--topo-order', '--reverse', `refs/heads/${branch}`, `^${commitsSince}`, '--'];
  const { exitCode, stdout } = await git(range, { cwd, timeoutMs: GIT_TIMEOUT_MS });
  // The branch was deleted, or never created.
  if (exitCode !== 0) return { commits: [] };
  return { branch, commits: stdout.split('\n').flatMap((sha) => (sha === '' ? [] : [{ sha }])) };
}

/** True if another worker has the run, or if it was canceled or erased. */
function isRefused(reason: unknown): boolean {
  if (RequestRefusedError.isInstance(reason)) return true;
  return ChatStateError.isInstance(reason) && reason.code !== 'invalid-state';
}

/** @throws UsageError for an agent that another configuration accepted */
function agentOf({ agents }: ExecutorParts, { request }: ClaimedRun): AgentProvider {
  const entry = agents.includes(request.agent) ? findAgent(request.agent) : undefined;
  if (entry !== undefined) return entry.make(request.model);
  throw new UsageError(
    `This worker has no agent \`${request.agent}\`. Add it to \`runs.agents\` in its configuration.`,
  );
}

interface HowToRun {
  readonly claimedMs: number;
  readonly isAnswered: boolean;
  readonly agent: AgentProvider;
  /** Branch of this execution. */
  readonly branch: string;
}

async function toRunOptions(
  parts: ExecutorParts,
  claimed: ClaimedRun,
  { claimedMs, isAnswered, agent, branch }: HowToRun,
): Promise<RunOptions & Pick<ContinuedOptions, 'warning'>> {
  const { id, request, elapsedMs } = claimed;
  const { limits = {}, ref, on_worker_loss: onLoss } = request;
  const onInterruption = onLoss === 'resume' ? 'fail' : onLoss;
  const output = toRunOutput(request, agent);
  const continuation = await openContinuation(claimed, agent);
  const {
    timeout_seconds: seconds = DEFAULT_TIMEOUT_SECONDS,
    idle_timeout_seconds: idle,
    tokens,
    usd,
  } = limits;
  // The executions of a run share its time. One that has none left fails at once, as run() does.
  const runMs = Math.max(
    isAnswered ? LANDING_MS : 1,
    seconds * 1_000 - elapsedMs - (performance.now() - claimedMs),
  );
  return {
    id,
    agent,
    sandbox: parts.sandbox,
    ...continuation,
    prompt: toRunPrompt(continuation.prompt, output),
    branchStrategy: { type: 'branch', branch, ...(ref !== undefined && { baseBranch: ref }) },
    logging: loggingOf(repositoryOf(parts, claimed), { id, isRecorded: parts.isRecorded === true }),
    timeouts: { runMs, ...(idle !== undefined && { idleMs: idle * 1_000 }) },
    ...(output !== undefined && { output }),
    ...((tokens !== undefined || usd !== undefined) && {
      budget: { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) },
    }),
    ...(onInterruption !== undefined && { policies: { onInterruption } }),
  };
}

/** Waits for a process of this machine that was taken over, and still executes the run. */
async function onceUnlocked<T>(
  start: () => Promise<T>,
  { earlier }: ClaimedRun,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (earlier === undefined || !isLocked(error) || tries >= LOCK_TRIES) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

function isLocked(error: unknown): boolean {
  return RepositoryError.isInstance(error) && error.code === 'locked';
}

/** Why a run cannot be continued here. Undefined for another failure. */
function lossOf(
  error: unknown,
  record: ExecutionRecord | undefined,
  { earlier }: ClaimedRun,
): RunLoss | undefined {
  if (earlier !== undefined && isLocked(error)) return 'agent_may_live';
  if (!UsageError.isInstance(error) || error.code !== 'not-repeatable') return undefined;
  return record?.phase === 'answered' ? 'no_tree' : 'no_session';
}
