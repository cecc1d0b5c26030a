/**
 * Events of an agent run's stream. Each has an SSE id: a client that resumes with `Last-Event-ID` gets
 * each event once, in order. The last one is `receipt`.
 */
import {
  array,
  count,
  literal,
  object,
  optional,
  string,
  tagged,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { agentRunAttempt, agentRunReceipt, agentRunStatus } from './agent-run.ts';
import { attemptIssue, receiptUsage } from '../receipt.ts';

const at = { at: time };

const statusMembers = { type: literal('status'), status: agentRunStatus, phase: optional(string), ...at };
/** The run changed its status or its phase. */
export interface RunStatusEvent extends ObjectOf<typeof statusMembers> {}
const statusEvent: Shape<RunStatusEvent> = object(statusMembers);

const executionMembers = {
  type: literal('execution'),
  /** From 1. */
  number: count,
  /** Name of the worker. */
  worker: string,
  ...at,
};
/** A worker began an execution of the run. */
export interface RunExecutionEvent extends ObjectOf<typeof executionMembers> {}
const executionEvent: Shape<RunExecutionEvent> = object(executionMembers);

const sessionMembers = { type: literal('session'), session_id: string, ...at };
/** The agent began a session, or continued one. */
export interface RunSessionEvent extends ObjectOf<typeof sessionMembers> {}
const sessionEvent: Shape<RunSessionEvent> = object(sessionMembers);

const textMembers = { type: literal('text'), text: string, ...at };
/** Text of the agent, joined. Secrets are masked. */
export interface RunTextEvent extends ObjectOf<typeof textMembers> {}
const textEvent: Shape<RunTextEvent> = object(textMembers);

const toolCallMembers = {
  type: literal('tool_call'),
  name: string,
  /** Beginning of the arguments, at most 200 characters. */
  title: optional(string),
  ...at,
};
/** The agent called a tool. */
export interface RunToolCallEvent extends ObjectOf<typeof toolCallMembers> {}
const toolCallEvent: Shape<RunToolCallEvent> = object(toolCallMembers);

const attemptMembers = {
  type: literal('attempt'),
  number: count,
  attempt: agentRunAttempt,
  /** Broken rules of a refused value, at most 20. Secrets are masked. */
  issues: optional(array(attemptIssue)),
  ...at,
};
/** An answer was judged. */
export interface RunAttemptEvent extends ObjectOf<typeof attemptMembers> {}
const attemptEvent: Shape<RunAttemptEvent> = object(attemptMembers);

const commitMembers = { type: literal('commit'), sha: string, ...at };
/** A commit of the agent is on the run's branch. */
export interface RunCommitEvent extends ObjectOf<typeof commitMembers> {}
const commitEvent: Shape<RunCommitEvent> = object(commitMembers);

const usageMembers = { type: literal('usage'), usage: receiptUsage, ...at };
/** Tokens and cost so far, over all executions. */
export interface RunUsageEvent extends ObjectOf<typeof usageMembers> {}
const usageEvent: Shape<RunUsageEvent> = object(usageMembers);

const warningMembers = { type: literal('warning'), message: string, ...at };
/** A problem that did not end the run. */
export interface RunWarningEvent extends ObjectOf<typeof warningMembers> {}
const warningEvent: Shape<RunWarningEvent> = object(warningMembers);

const receiptMembers = { type: literal('receipt'), receipt: agentRunReceipt, ...at };
/** The end of the run. */
export interface RunReceiptEvent extends ObjectOf<typeof receiptMembers> {}
const receiptEvent: Shape<RunReceiptEvent> = object(receiptMembers);

export const agentRunEvent = tagged(
  {
    status: statusEvent,
    execution: executionEvent,
    session: sessionEvent,
    text: textEvent,
    tool_call: toolCallEvent,
    attempt: attemptEvent,
    commit: commitEvent,
    usage: usageEvent,
    warning: warningEvent,
    receipt: receiptEvent,
  },
  'AgentRunEvent',
);
/** An event of an agent run. The SSE event name is its `type`. */
export type AgentRunEvent = Of<typeof agentRunEvent>;
