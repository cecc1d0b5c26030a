/**
 * A run as the list and the page show it: one that is kept in the state folder, or a durable one of the
 * server. Pure.
 */
import type { AgentRunDetailView, AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import type { KeptRunView, RunDetailView, RunStatus } from '@truecast/client/internal/wire/kept-run';
import type { FirstIssue } from '@truecast/client/internal/wire/receipt';
import { view } from '@truecast/core/internal/shape/view';
import type { FollowedEvents } from './followed-events.ts';

/** States of both kinds. `live` is running, `valid` has an answer, and `done` required none. */
export type ShownStatus = RunStatus | 'queued' | 'canceling' | 'canceled';

/** A run in the list. */
export interface RunRow {
  readonly id: string;
  readonly status: ShownStatus;
  readonly name?: string;
  readonly is_replayed?: boolean;
  readonly agent: string;
  readonly model?: string;
  readonly repository?: string;
  readonly branch?: string;
  readonly attempts?: number;
  readonly commits?: number;
  readonly usage?: KeptRunView['usage'];
  readonly duration_ms?: number;
  readonly prompt_preview: string;
  readonly value_preview?: string;
  /** Progress of a run that has not ended. */
  readonly progress?: string;
  readonly failure?: NoAnswer;
  /** Start, or creation of a durable one. */
  readonly at: string;
}

/** Why a run has no answer. */
export interface NoAnswer {
  readonly issue?: FirstIssue;
  readonly message: string;
  /** Attempts at the answer, if it is the reason. */
  readonly attempts: number;
  /** The next thing to do. */
  readonly next?: string;
}

/** A run on its page. */
export interface ShownRun extends Omit<RunDetailView, 'status' | 'sandbox' | 'error' | 'run_id'> {
  readonly status: ShownStatus;
  readonly sandbox?: string;
  readonly failure?: NoAnswer;
  /** The answer of a run whose answer is text. */
  readonly text?: string;
  /** Members of a durable run alone. */
  readonly durable?: AgentRunDetailView;
}

/** Returns false for the id of a durable run. Ids of kept runs begin with their time. */
export function isKeptId(id: string): boolean {
  return /^\d{8}T\d{6}Z-/u.test(id);
}

export function rowOfKept(run: KeptRunView): RunRow {
  const { attempts, commits, error, status } = run;
  return view<RunRow>({
    id: run.id,
    status,
    name: run.name,
    is_replayed: run.is_replayed,
    agent: run.agent,
    model: run.model,
    repository: undefined,
    branch: run.branch,
    attempts: attempts.length,
    commits: commits.length,
    usage: run.usage,
    duration_ms: run.duration_ms,
    prompt_preview: run.prompt_preview,
    value_preview: run.value_preview,
    failure: error === undefined ? undefined : { message: error, attempts: 0 },
    progress: status === 'live' ? PHASES.working : undefined,
    at: run.started_at,
  });
}

export function rowOfDurable(run: AgentRunView, nowMs: number): RunRow {
  return view<RunRow>({
    id: run.id,
    status: statusOf(run, run.value_preview !== undefined),
    name: undefined,
    is_replayed: undefined,
    agent: run.agent,
    model: run.model,
    repository: run.repository,
    branch: run.branch,
    attempts: run.attempt_count ?? run.error?.attempt_count,
    commits: undefined,
    usage: run.usage,
    duration_ms: durationOf(run, nowMs),
    prompt_preview: run.prompt_preview,
    value_preview: run.value_preview,
    progress: progressOf(run),
    failure: failureOf(run.error),
    at: run.created_at,
  });
}

/** The facts of a durable run, and what its events added since. */
export function shownDurable(run: AgentRunDetailView, followed: FollowedEvents, nowMs: number): ShownRun {
  const { receipt, execution_history: executions } = run;
  return view<ShownRun>({
    id: run.id,
    status: statusOf(run, receipt?.value_text !== undefined),
    name: undefined,
    is_replayed: undefined,
    code: run.code ?? 'ok',
    agent: run.agent,
    sandbox: undefined,
    egress: undefined,
    tag: undefined,
    value_preview: undefined,
    repairs: undefined,
    check: undefined,
    model: receipt?.model ?? run.model,
    branch: executions.length === 0 ? undefined : run.branch,
    mode: receipt?.mode,
    schema_hash: receipt?.schema_hash,
    attempts: receipt?.attempts ?? followed.attempts,
    commits: receipt?.commits ?? followed.commits,
    usage: receipt?.usage ?? followed.usage,
    started_at: run.started_at ?? run.created_at,
    duration_ms: receipt?.duration_ms ?? durationOf(run, nowMs) ?? 0,
    prompt_preview: run.prompt_preview,
    prompt: run.prompt,
    value_text: receipt?.value_text,
    text: receipt?.status === 'succeeded' ? receipt.text : undefined,
    warnings: receipt?.warnings ?? followed.warnings,
    transcript: { text: followed.text, omitted_chars: 0 },
    failure: failureOf(receipt?.error),
    durable: run,
  });
}

export function shownKept({ error, ...run }: RunDetailView): ShownRun {
  return { ...run, ...(error !== undefined && { failure: { message: error, attempts: 0 } }) };
}

function statusOf({ status }: Pick<AgentRunView, 'status'>, hasValue: boolean): ShownStatus {
  if (status === 'running') return 'live';
  // Without a schema, the answer is the agent's last text.
  if (status === 'succeeded') return hasValue ? 'valid' : 'done';
  return status;
}

function durationOf({ started_at: from, ended_at: to }: AgentRunView, nowMs: number): number | undefined {
  if (from === undefined) return undefined;
  return Math.max(0, (to === undefined ? nowMs : Date.parse(to)) - Date.parse(from));
}

function failureOf(error: AgentRunView['error']): NoAnswer | undefined {
  if (error === undefined) return undefined;
  const { message, detail = message, first_issue: issue, attempt_count: attempts = 0 } = error;
  return view<NoAnswer>({
    issue,
    message: detail,
    attempts,
    next: detail === message && issue === undefined ? undefined : message,
  });
}

const WAITS: Readonly<Record<NonNullable<AgentRunView['waits_for']>, string>> = {
  start_after: 'It waits for its start time.',
  repository_limit: 'It waits for a place: its repository has reached its limit of running runs.',
  agent_limit: 'It waits for a place: its agent has reached its limit of running runs.',
  owner_limit: 'It waits for a place: its owner has reached its limit of running runs.',
  budget: 'It waits for the next day: its owner has spent the budget of this one.',
  no_worker: 'It waits: no worker has its repository and its agent.',
};
const PHASES: Readonly<Record<NonNullable<AgentRunView['phase']>, string>> = {
  preparing: 'Its worktree is created.',
  working: 'The agent works.',
  answered: 'The answer is accepted. Its work is stored.',
  settled: 'The result is stored at its worker.',
};

/** Says what happens to a run that has not ended. Undefined after its end. */
export function progressOf({ status, phase, waits_for: wait }: AgentRunView): string | undefined {
  if (status === 'queued') return (wait && WAITS[wait]) ?? 'It waits for a free worker.';
  if (status === 'canceling') return 'The agent is stopped. Its commits remain.';
  return status === 'running' ? (PHASES[phase ?? 'working'] ?? PHASES.working) : undefined;
}
