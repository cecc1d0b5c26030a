/**
 * Message parts, with one format on the wire, in the store and in memory.
 *
 * Changing a part's format needs a migration.
 */
import {
  boolean,
  bounded,
  json,
  literal,
  object,
  openOneOf,
  optional,
  record,
  string,
  openTagged,
  tagged,
  time,
  type NewerObject,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { receiptAttempt, receiptUsage } from './receipt.ts';

/** Provider metadata to be returned unchanged with a part, such as a reasoning signature. */
export type ProviderMetadata = Of<typeof record>;

const provider_metadata = optional(record);
const shown = optional(string);
const flag = optional(boolean);

export const inputTextMembers = { type: literal('text'), text: string };
const textMembers = { ...inputTextMembers, provider_metadata };
/** Text. */
export interface TextPart extends ObjectOf<typeof textMembers> {}
const textPart: Shape<TextPart> = object(textMembers);

const reasoningMembers = { type: literal('reasoning'), text: string, provider_metadata };
/** A model's reasoning, as far as its provider reveals it. */
export interface ReasoningPart extends ObjectOf<typeof reasoningMembers> {}
const reasoningPart: Shape<ReasoningPart> = object(reasoningMembers);

const toolCallMembers = {
  type: literal('tool_call'),
  /** Unique within its message only: providers reuse ids. */
  tool_call_id: string,
  tool_name: string,
  /** Arguments as the model wrote them. They can be invalid JSON. */
  args: string,
  /** True for a provider-executed call, which the server never answers. */
  provider_executed: flag,
  /** True if the provider's adapter re-serialized the arguments, which can round numbers. */
  numbers_exact: flag,
  /** Durable run that the call creates when it starts. Of coding agents with `runsIn` only. */
  run_id: shown,
  provider_metadata,
};
/** A model's tool call. */
export interface ToolCallPart extends ObjectOf<typeof toolCallMembers> {}
const toolCallPart: Shape<ToolCallPart> = object(toolCallMembers);

const syntheticReason = openOneOf('interrupted', 'canceled', 'deadline', 'unknown', 'not_run', 'rejected');
/** Why the server and not the tool created a result. */
export type SyntheticReason = Of<typeof syntheticReason>;

const toolResultMembers = {
  type: literal('tool_result'),
  tool_call_id: string,
  tool_name: string,
  /** Any JSON. */
  result: json,
  is_error: boolean,
  /** Exact JSON text of `result`, with all digits. Accepted answers only. */
  result_text: shown,
  synthetic: optional(syntheticReason),
  /** Outcome of the submission that this result answers. Finalizer calls only, one per step. */
  attempt: optional(receiptAttempt),
  /** When a tool of the server was started, in ISO 8601. */
  started_at: optional(time),
  /** When the tool had ended, or the client sent its result. */
  ended_at: optional(time),
  /** Model usage of the tool itself, as far as a coding agent reports it. */
  usage: optional(receiptUsage),
  provider_executed: flag,
  provider_metadata,
};
/** The result of a call. */
export interface ToolResultPart extends ObjectOf<typeof toolResultMembers> {}
const toolResultPart: Shape<ToolResultPart> = object(toolResultMembers);

const sourceMembers = { type: literal('source'), source_id: string, url: shown, title: shown };
/** A source that a model cites. */
export interface SourcePart extends ObjectOf<typeof sourceMembers> {}
const sourcePart: Shape<SourcePart> = object(sourceMembers);

export const fileMembers = {
  type: literal('file'),
  media_type: string,
  filename: shown,
  url: shown,
  data: shown,
};
/** A file, by URL or as Base64. */
export interface FilePart extends ObjectOf<typeof fileMembers> {}
const filePart: Shape<FilePart> = object(fileMembers);

const positive = bounded('integer', { min: 1 });
const limitMembers = {
  /** Consecutive text-only answers after which the request fails. */
  text_only: positive,
  /** Total invalid submissions after which the request fails. */
  max_repairs: positive,
  /** Seconds from the acceptance of the request after which it fails. */
  deadline_seconds: optional(positive),
};
/** Failure limits of a request. */
export interface RequestLimits extends ObjectOf<typeof limitMembers> {}
export const requestLimits: Shape<RequestLimits> = object(limitMembers);

const responseFormatMembers = {
  type: literal('response_format'),
  request_id: string,
  name: string,
  description: shown,
  /** The JSON Schema as text, which preserves order and characters. */
  schema_text: string,
  limits: requestLimits,
};
/**
 * Response format of a request, on the user's message. Created by the server, never shown to a
 * model.
 */
export interface ResponseFormatPart extends ObjectOf<typeof responseFormatMembers> {}
const responseFormatPart: Shape<ResponseFormatPart> = object(responseFormatMembers);

const correctiveMembers = {
  type: literal('corrective'),
  request_id: string,
  text: string,
  attempt: receiptAttempt,
};
/** Feedback to a model about a missing or invalid answer, without a call to answer. */
export interface CorrectivePart extends ObjectOf<typeof correctiveMembers> {}
const correctivePart: Shape<CorrectivePart> = object(correctiveMembers);

const summaryMembers = { type: literal('summary'), text: string };
/** Summary that replaces all earlier messages in later prompts. */
export interface SummaryPart extends ObjectOf<typeof summaryMembers> {}
const summaryPart: Shape<SummaryPart> = object(summaryMembers);

const outcomeMembers = {
  type: literal('outcome'),
  request_id: string,
  status: openOneOf('succeeded', 'failed', 'canceled'),
  error: optional(object({ code: string, reason: shown, message: string })),
};
/**
 * Outcome of a request, at the end of the turn. Committed with the receipt, never shown to a model.
 */
export interface OutcomePart extends ObjectOf<typeof outcomeMembers> {}
const outcomePart: Shape<OutcomePart> = object(outcomeMembers);

/** One part of a message. */
export type MessagePart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | FilePart
  | ResponseFormatPart
  | CorrectivePart
  | SummaryPart
  | OutcomePart
  | NewerObject;
export const messagePart: Shape<MessagePart> = openTagged(
  {
    text: textPart,
    reasoning: reasoningPart,
    tool_call: toolCallPart,
    tool_result: toolResultPart,
    source: sourcePart,
    file: filePart,
    response_format: responseFormatPart,
    corrective: correctivePart,
    summary: summaryPart,
    outcome: outcomePart,
  },
  'MessagePart',
);

const inputTextPart = object(inputTextMembers);
/** Parts that a client can send. */
export type InputPart = Of<typeof inputTextPart> | FilePart;
/** Parts that a client can send. The server refuses a file without exactly one of `url` and `data`. */
export const inputPart: Shape<InputPart> = tagged({ text: inputTextPart, file: filePart });
