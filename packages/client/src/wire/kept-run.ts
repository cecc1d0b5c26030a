/** Wire format of kept runs: those of coding agents in the state folder. Their strings are masked, and written by agents. */
import {
  array,
  boolean,
  count,
  either,
  literal,
  number,
  object,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { RUN_EVENT_TYPES } from '@truecast/core/internal/kit/run-event-types';
import { attemptIssue, receiptUsage } from './receipt.ts';

const text = optional(string);

export const runStatus = openOneOf('live', 'interrupted', 'valid', 'failed', 'done');
/**
 * `live` is still going. The process of an `interrupted` one was killed. `valid` has an answer;
 * `done` required none.
 */
export type RunStatus = Of<typeof runStatus>;

const attemptMembers = {
  /** `ok`, or the failure's code. */
  code: string,
  message: string,
  /**
   * Position of the text in the transcript, in UTF-16 units; `end` is exclusive. Absent if the
   * answer did not come as text.
   */
  span: optional(object({ start: count, end: count })),
};
/** One attempt at the answer of a run. */
export interface RunAttempt extends ObjectOf<typeof attemptMembers> {}
const runAttempt: Shape<RunAttempt> = object(attemptMembers, 'RunAttempt');

const runMembers = {
  id: string,
  name: text,
  /** In a list: your durable run of which this one is the copy. */
  run_id: text,
  status: runStatus,
  /** True if the agent's text came from a recording. */
  is_replayed: optional(boolean),
  /** `ok`, `done`, the code of the failure, or the status of a run that did not end. */
  code: string,
  error: text,
  agent: string,
  model: text,
  sandbox: string,
  egress: text,
  branch: text,
  /** Mode of the answer, such as `tag`. */
  mode: text,
  tag: text,
  schema_hash: text,
  attempts: array(runAttempt),
  /** Ids of the commits, oldest first. */
  commits: array(string),
  usage: optional(receiptUsage),
  started_at: time,
  /** Up to now for a live run, and up to its last event for an interrupted one. */
  duration_ms: number,
  /** First 160 characters of the prompt. */
  prompt_preview: string,
  /** First 160 characters of the value as JSON. */
  value_preview: text,
};
/** A run in a list. */
export interface KeptRunView extends ObjectOf<typeof runMembers> {}
export const keptRunView: Shape<KeptRunView> = object(runMembers, 'Run');

const pageMembers = {
  runs: array(keptRunView),
  /** `after` of the next page. Absent on the last one. */
  next: text,
};
/** A page of runs, newest first. */
export interface RunPageView extends ObjectOf<typeof pageMembers> {}
export const runPageView: Shape<RunPageView> = object(pageMembers, 'RunPage');

const checkMembers = {
  verdict: openOneOf('passed', 'failed'),
  commit: string,
  tree: string,
  duration_ms: count,
};
/** Verdict of a check on one commit, in a clean checkout of it. */
export interface RunCheckView extends ObjectOf<typeof checkMembers> {}
const runCheckView: Shape<RunCheckView> = object(checkMembers);

const detailMembers = {
  ...runMembers,
  prompt: string,
  /** The valid answer as JSON. Absent if it was too large to keep. */
  value_text: text,
  repairs: optional(array(object({ kind: string, path: array(either([string, number])) }))),
  /** The commit on which the check of the output passed. */
  check: optional(runCheckView),
  warnings: array(string),
  transcript: object({
    /** The end of the agent's text, with secrets masked unit by unit. */
    text: string,
    /** Length of the text before it, which was not kept. */
    omitted_chars: count,
  }),
};
/** A run with its answer and its transcript. */
export interface RunDetailView extends ObjectOf<typeof detailMembers> {}
export const runDetailView: Shape<RunDetailView> = object(detailMembers, 'RunDetail');

const eventMembers = {
  /** `cut`: the journal of the run reached its limit, and the rest is in the transcript only. */
  type: openOneOf(...RUN_EVENT_TYPES),
  /** Position behind the event: `after` for the events that follow it. */
  id: string,
  at: time,
  iteration: count,
  /** Text of the agent, argument or result of a call, or a message. */
  text,
  /** Name of a tool or branch, number or code of an attempt, or id of a session or commit. */
  name: text,
  is_error: optional(boolean),
  /** Broken rules of a refused attempt, at most 20. */
  issues: optional(array(attemptIssue)),
};
/** One event of a run. */
export interface RunEventView extends ObjectOf<typeof eventMembers> {}
const runEventView: Shape<RunEventView> = object(eventMembers, 'RunEvent');

const eventPageMembers = {
  status: runStatus,
  events: array(runEventView),
  /** `after` of the next page. Absent on the last one of a run that is not live. */
  next: text,
};
/** A page of a run's events, oldest first. */
export interface RunEventPageView extends ObjectOf<typeof eventPageMembers> {}
export const runEventPageView: Shape<RunEventPageView> = object(eventPageMembers, 'RunEventPage');

export const runStreamEvent = either(
  [runEventView, object({ type: literal('status'), status: runStatus })],
  'RunStreamEvent',
);
/** Event of a run's stream. `status` is the first one, and the last one of a run that ended. */
export type RunStreamEvent = Of<typeof runStreamEvent>;

const transcriptMembers = {
  text: string,
  from: count,
  /** Exclusive. */
  to: count,
  /** Length of the kept transcript, so far for a live run. */
  chars: count,
  /** Length of the text before it, which was not kept. */
  omitted_chars: count,
};
/** A range of a run's transcript, in UTF-16 units. */
export interface RunTranscriptView extends ObjectOf<typeof transcriptMembers> {}
export const runTranscriptView: Shape<RunTranscriptView> = object(transcriptMembers, 'RunTranscript');
