/**
 * Wire format of agent runs: durable requests to a coding agent. Each one ends once, with a receipt.
 */
import {
  array,
  boolean,
  bounded,
  count,
  integer,
  json,
  limited,
  object,
  oneOf,
  openOneOf,
  optional,
  number,
  recordOf,
  string,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { firstIssue, receiptUsage } from '../receipt.ts';
import { responseFormatBody } from '../response-format.ts';
import { agentRunArtifact } from './agent-run-artifact.ts';
import {
  AGENT_RUN_CODES,
  AGENT_RUN_PHASES,
  AGENT_RUN_STATUSES,
  PUSH_MODES,
  RUN_RELATIONS,
  RUN_WAITS,
} from '../wire-codes.ts';

export const agentRunStatus = openOneOf(...AGENT_RUN_STATUSES);
/** Status of an agent run. The last three are final. */
export type AgentRunStatus = Of<typeof agentRunStatus>;

/**
 * Progress of a running agent run. `preparing`: its worktree is created. `working`: its agent runs.
 * `answered`: its answer is accepted. `settled`: its result is stored at its worker.
 */
const agentRunPhase = openOneOf(...AGENT_RUN_PHASES);

/** Why an agent run has no result: the last two with `canceled`, the others with `failed`. */
const agentRunCode = openOneOf(...AGENT_RUN_CODES);

const repositoryName = limited({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  expected: 'Expected 1 to 64 letters, digits, dots, underscores and hyphens',
});
const shortText = limited({ min: 1, max: 200 });

const limitMembers = {
  /** The whole run, over all executions. @default 3600 */
  timeout_seconds: optional(bounded('integer', { min: 1, max: 604_800 })),
  /** Time without output of the agent. @default 600 */
  idle_timeout_seconds: optional(bounded('integer', { min: 1, max: 604_800 })),
  /** Input and output tokens together. @default no limit */
  tokens: optional(bounded('integer', { min: 1 })),
  /** US dollars, at least a millionth. Requires an agent that reports its cost. @default no limit */
  usd: optional(bounded('number', { min: 0.000_001 })),
  /** Executions that can be lost or begin again before the run fails. @default 3 */
  executions: optional(bounded('integer', { min: 1, max: 100 })),
};
/** Limits of an agent run. */
export interface AgentRunLimits extends ObjectOf<typeof limitMembers> {}
const agentRunLimits: Shape<AgentRunLimits> = object(limitMembers, 'AgentRunLimits');

const metadata = recordOf(limited({ max: 256 }));

export const createAgentRunMembers = {
  /** A name from the configuration `repositories` of the server. */
  repository: repositoryName,
  /** Branch, tag or commit at which the run's branch begins. @default HEAD of the repository */
  ref: optional(shortText),
  /** One of the agents of the server's configuration `runs`, such as `claude-code`. */
  agent: shortText,
  /** @default the agent's choice */
  model: optional(shortText),
  prompt: limited({ min: 1, max: 262_144 }),
  /** The contract of the answer. @default the answer is the agent's last text */
  response_format: optional(responseFormatBody),
  /**
   * True if the answer is not an object, so that the schema and the receipt have it under the key `value`. Clients
   * without the definition of the answer then return the value itself. @default false
   */
  is_wrapped: optional(boolean),
  /** Reads the answer between `<tag>` and `</tag>`. The prompt is completed with instructions. */
  tag: optional(
    limited({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$', expected: 'Expected the name of a tag' }),
  ),
  /** How the agent returns its answer, instead of a tag. @default its schema mode, else a tool, else the tag `result` */
  mode: optional(oneOf('native', 'mcp')),
  /** Corrections of an invalid answer. @default 2 */
  max_corrections: optional(bounded('integer', { min: 0, max: 10 })),
  /** @default `truecast/runs/<id>` */
  branch: optional(shortText),
  /**
   * When the branch is pushed to the repository's address: at the end of each turn and of the run, if the run
   * succeeds, or never. @default what the configuration of the repository allows
   */
  push: optional(oneOf(...PUSH_MODES)),
  /**
   * Throws away what the agent writes. The run has no branch and no commits, and nothing is pushed. Not with
   * `branch` or `push`. @default false
   */
  read_only: optional(boolean),
  limits: optional(agentRunLimits),
  /**
   * For a worker that was lost before the agent's session was stored. `auto` starts the agent again if
   * its egress is `none` or `model`, and otherwise the run fails with `worker_lost`. `restart` always
   * starts it again. @default 'auto'
   */
  on_worker_loss: optional(oneOf('auto', 'resume', 'restart', 'fail')),
  /** Values by key, by which `metadata=KEY:VALUE` finds the run in the list. At most 16. @default {} */
  metadata: optional(metadata),
  /** Gets a signed request when the run has ended. @default none */
  webhook: optional(object({ url: limited({ min: 1, max: 2_000 }) }, 'AgentRunWebhook')),
  /** Higher ones are started first. @default 0 */
  priority: optional(bounded('integer', { min: -100, max: 100 })),
  /** The run waits until then. @default it is started at once */
  start_after: optional(time),
  /** A run that has not started after this time is canceled. @default it waits */
  expires_after_seconds: optional(bounded('integer', { min: 1, max: 31_536_000 })),
};
/** A new agent run. */
export interface CreateAgentRunBody extends ObjectOf<typeof createAgentRunMembers> {}
export const createAgentRunBody: Shape<CreateAgentRunBody> = object(createAgentRunMembers, 'CreateAgentRun');

const errorMembers = {
  code: agentRunCode,
  /** The code of the error behind it, such as `schema_mismatch` or `idle_timeout`. */
  reason: optional(string),
  message: string,
  /** The error's own message, which can quote the agent. Secrets are masked. */
  detail: optional(string),
  /** The first problem of the last refused answer. Secrets are masked. */
  first_issue: optional(firstIssue),
  /** Attempts at the answer. Absent if the answer is not the reason. */
  attempt_count: optional(count),
};
/** Why an agent run has no result. The message states the next step, and contains no text of an agent. */
export interface AgentRunError extends ObjectOf<typeof errorMembers> {}
const agentRunError: Shape<AgentRunError> = object(errorMembers, 'AgentRunError');

const attemptMembers = {
  /** `ok`, or the failure's code. */
  code: string,
  message: string,
};
/** One attempt at the answer of an agent run. */
export interface AgentRunAttempt extends ObjectOf<typeof attemptMembers> {}
export const agentRunAttempt: Shape<AgentRunAttempt> = object(attemptMembers, 'AgentRunAttempt');

const receiptMembers = {
  run_id: string,
  /** `succeeded`, `failed` or `canceled`. */
  status: agentRunStatus,
  value: optional(json),
  /** The value as canonical JSON with exact numbers. With `failed`: the answer whose work did not land. */
  value_text: optional(string),
  /** SHA-256 of `value_text` in UTF-8, in hex. */
  value_hash: optional(string),
  /** The end of the agent's last text, without a response format. */
  text: optional(string),
  error: optional(agentRunError),
  /** SHA-256 of the canonical JSON of the schema, in hex. Absent without a response format. */
  schema_hash: optional(string),
  /** How the answer was obtained: `tag`, `native` or `mcp`. */
  mode: optional(string),
  attempts: array(agentRunAttempt),
  /** Repairs of the accepted answer, such as `answer_in_tool_call`. Absent without any. */
  repairs: optional(array(string)),
  agent: string,
  /** The model, as the agent reported it, or else as it was requested. */
  model: optional(string),
  /** Tokens and cost over all executions. */
  usage: optional(receiptUsage),
  repository: string,
  branch: optional(string),
  /** Commit before the first agent. Absent if the run never started. */
  base_sha: optional(string),
  /** The last of `commits`, or `base_sha`. */
  head_sha: optional(string),
  /** The agent's commits over all executions, oldest first. */
  commits: array(string),
  /** True if the remote's branch has `head_sha`. */
  pushed: boolean,
  /** Branches on which agents worked that were not continued. */
  earlier_branches: optional(array(string)),
  executions: count,
  /** Problems that did not end the run. */
  warnings: array(string),
  /** From the start of the first execution. */
  duration_ms: optional(number),
  created_at: time,
  started_at: optional(time),
  ended_at: time,
};
/** The outcome of an agent run. Each accepted run has exactly one. */
export interface AgentRunReceipt extends ObjectOf<typeof receiptMembers> {}
export const agentRunReceipt: Shape<AgentRunReceipt> = object(receiptMembers, 'AgentRunReceipt');

const summaryMembers = {
  id: string,
  status: agentRunStatus,
  /** Only while it is `running` or `canceling`. */
  phase: optional(agentRunPhase),
  /** Why a queued run has not started. */
  waits_for: optional(openOneOf(...RUN_WAITS)),
  repository: string,
  ref: optional(string),
  agent: string,
  model: optional(string),
  branch: string,
  /** Absent without metadata. */
  metadata: optional(recordOf(string)),
  priority: integer,
  /** The run that this one repeats or continues, or the chat or the response of `/v1` that asked for it. */
  parent_id: optional(string),
  /**
   * `retry`: the same request again. `continue`: on the same branch. `fork`: on a new branch. `chat`, `response`: the
   * kind of parent that asked for it.
   */
  relation: optional(openOneOf(...RUN_RELATIONS)),
  /** Executions that began. */
  executions: count,
  /** Name of the worker, while one executes the run. */
  worker: optional(string),
  /** Code of the error, of a run without a result. */
  code: optional(agentRunCode),
  /** The error, of a run without a result. */
  error: optional(agentRunError),
  /** First 160 characters of the prompt. */
  prompt_preview: string,
  /** First 160 characters of the value as JSON. Absent for a run without a response format. */
  value_preview: optional(string),
  /** Tokens and cost so far, over all executions. */
  usage: optional(receiptUsage),
  /** Attempts at the answer, once it has ended. Absent without any. */
  attempt_count: optional(count),
  /** Increases with every change. */
  version: integer,
  created_at: time,
  start_after: optional(time),
  expires_at: optional(time),
  started_at: optional(time),
  ended_at: optional(time),
};
/** An agent run in a list. */
export interface AgentRunView extends ObjectOf<typeof summaryMembers> {}
export const agentRunView: Shape<AgentRunView> = object(summaryMembers, 'AgentRun');

const executionMembers = {
  /** From 1. */
  number: count,
  /** Name of the worker. */
  worker: string,
  started_at: time,
  ended_at: optional(time),
  /** `lost`: its worker stopped without an end. `left`: its worker shut down, and another one continues. */
  ending: optional(openOneOf('ended', 'left', 'lost')),
};
/** One worker's try at an agent run. */
export interface AgentRunExecution extends ObjectOf<typeof executionMembers> {}
const agentRunExecution: Shape<AgentRunExecution> = object(executionMembers, 'AgentRunExecution');

const detailMembers = {
  ...summaryMembers,
  prompt: string,
  response_format: optional(responseFormatBody),
  /** True if the schema and the receipt have the answer under the key `value`. */
  is_wrapped: optional(boolean),
  /** The requested tag of the answer. */
  tag: optional(string),
  /** The requested mode of the answer. */
  mode: optional(openOneOf('native', 'mcp')),
  limits: agentRunLimits,
  execution_history: array(agentRunExecution),
  /** By name, without their bytes. */
  artifacts: array(agentRunArtifact),
  /** When its events and artifacts were removed. */
  cleared_at: optional(time),
  /** Present once the run has ended. */
  receipt: optional(agentRunReceipt),
};
/** An agent run with its prompt, its executions, its artifacts and its receipt. */
export interface AgentRunDetailView extends ObjectOf<typeof detailMembers> {}
export const agentRunDetailView: Shape<AgentRunDetailView> = object(detailMembers, 'AgentRunDetail');

const pageMembers = {
  runs: array(agentRunView),
  /** `after` of the next page. Absent on the last one. */
  next: optional(string),
};
/** A page of agent runs, newest first. */
export interface AgentRunPageView extends ObjectOf<typeof pageMembers> {}
export const agentRunPageView: Shape<AgentRunPageView> = object(pageMembers, 'AgentRunPage');
