/** Refused attempts at one answer, read from the messages of its turn. Pure. */
import type { DeepPartial } from '@truecast/core/internal/output/definition/definition';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { hasEnvelope, valueIn } from '@truecast/core/internal/output/judge/judged';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { withGot } from '@truecast/core/internal/output/validate/describe-refusal';
import type { OutputTerms } from './answer/answer-format.ts';
import type { MessageView } from './wire/message.ts';
import type { AttemptIssue, ReceiptAttempt } from './wire/receipt.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

/** One problem of a refused value. */
export interface RefusedIssue extends AttemptIssue {
  /** JSON of the value there, at most 80 characters. Absent without a value. */
  readonly got?: string;
}

/** An attempt that the server refused. The model gets its issues and answers again. */
export interface RefusedAttempt<TOutput> {
  /** Position among the attempts at the answer, from 1. */
  readonly number: number;
  /** Kind of the refusal, such as `invalid` or `text_only`. */
  readonly code: ReceiptAttempt['code'];
  /** Each broken rule, with its JSON Pointer into `draft`. Empty without a value to validate. */
  readonly issues: readonly RefusedIssue[];
  /** The refused value, not validated. Absent if the model wrote no whole JSON. */
  readonly draft?: DeepPartial<TOutput>;
}

/** Takes the messages of a turn in order. Returns the attempt of which a message is the refusal. */
export type TakeMessage = (message: MessageView) => RefusedAttempt<unknown> | undefined;

/** Reads the attempts of one turn, after `before` other ones, in the terms of the wire. */
export function attemptReader(before: number = 0): TakeMessage {
  let number = before;
  let step: MessageView | undefined;
  return (message) => {
    // A copy that a compaction made contains nothing new.
    if (message.is_compressed) return undefined;
    if (message.role === 'assistant') step = message;
    const { attempt, callId } = attemptIn(message);
    if (attempt === undefined) return undefined;
    number += 1;
    const { code, issues = [] } = attempt;
    if (code === 'ok') return undefined;
    const draft = step && submittedIn(step, callId);
    return {
      number,
      code,
      issues: issues.map((issue) => withGot(issue, draft)),
      ...(draft !== undefined && { draft }),
    };
  };
}

/** Reads the attempts at the answer of one request from the events of its chat, in the terms of its output. */
export function attemptsOfRequest(
  requestId: string,
  form: OutputTerms,
): (event: ChatStreamEvent) => RefusedAttempt<unknown> | undefined {
  const take = attemptReader();
  let isOurs = false;
  return (event) => {
    if (event.type !== 'message') return undefined;
    const { role, request_id, is_compressed } = event.message;
    // Until the next question, all messages belong to the request.
    if (role === 'user' && !is_compressed) isOurs = request_id === requestId;
    const refused = isOurs ? take(event.message) : undefined;
    return refused && openAttempt(refused, form);
  };
}

/** Returns an attempt without the wrapper of an answer that is not an object. */
export function openAttempt(
  attempt: RefusedAttempt<unknown>,
  { inverse, inversePath }: OutputTerms,
): RefusedAttempt<unknown> {
  return {
    ...attempt,
    issues: attempt.issues.map((issue) => ({ ...issue, path: inversePath(issue.path) })),
    ...(attempt.draft !== undefined && { draft: inverse(attempt.draft) }),
  };
}

interface FoundAttempt {
  readonly attempt?: ReceiptAttempt | undefined;
  /** The call that it is about. Undefined for a text. */
  readonly callId?: string;
}

/** A step has one attempt: in its own message, or in the result of its call. */
function attemptIn({ role, attempt, content }: MessageView): FoundAttempt {
  if (role === 'assistant') return { attempt };
  const result = content.find((part) => part.type === 'tool_result' && part.attempt !== undefined);
  return result?.type === 'tool_result' ? { attempt: result.attempt, callId: result.tool_call_id } : {};
}

/** The committed text has its end, which a preview can lack. */
function submittedIn({ content }: MessageView, callId: string | undefined): unknown {
  const call = content.find(
    (part) => part.type === 'tool_call' && part.tool_name === FINALIZER_NAME && part.tool_call_id === callId,
  );
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const parsed = parseBoundedJson(call?.type === 'tool_call' ? call.args : text);
  if (!parsed.success) return undefined;
  // A text is the answer itself, which can have a member of this name.
  return callId !== undefined && hasEnvelope(parsed.value) ? valueIn(parsed.value) : parsed.value;
}
