/** State of an answer: derived from the receipt, the draft and the attempts of a request. Pure. */
import type { MessageView, Receipt } from '@truecast/client';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { submittedValue, writtenValue } from '@truecast/core/internal/output/finalizer/submitted-value';
import { parseExact, partAt } from '@truecast/core/internal/json/exact-value';
import { placedIssue } from '@truecast/core/internal/output/validate/describe-refusal';
import { asRecord, membersOf, resolveSchema, type DescribedSchema } from '../json/describe-schema.ts';

/** One attempt at an answer, in commit order. */
export interface AnswerAttempt {
  readonly attempt: Receipt['attempts'][number];
  /** The submitted value. Undefined if the attempt had none, or it cannot be parsed. */
  readonly value?: unknown;
  /** Time when the server had validated it. */
  readonly at: string;
}

export type ShownAnswerState = 'waiting' | 'draft' | 'refused' | 'valid' | 'failed' | 'canceled';

interface AnswerView {
  readonly state: ShownAnswerState;
  /** The value to show: sealed, refused, or still a draft. */
  readonly value?: unknown;
  readonly issues: readonly { readonly path: string; readonly rule: string }[];
}

/** Returns the attempts among the messages of a turn. */
export function attemptsOf(messages: readonly MessageView[]): readonly AnswerAttempt[] {
  const submitted = new Map<string, unknown>();
  return messages.flatMap((message) => {
    const { content, attempt, created_at: at } = message;
    for (const part of content) {
      if (part.type !== 'tool_call' || part.tool_name !== FINALIZER_NAME) continue;
      submitted.set(part.tool_call_id, submittedValue(part.args));
    }
    const ofText = attempt === undefined ? [] : [{ attempt, value: valueOfSubmission(message), at }];
    const ofCalls = content.flatMap((part) =>
      part.type === 'tool_result' && part.attempt !== undefined
        ? [{ attempt: part.attempt, value: submitted.get(part.tool_call_id), at }]
        : [],
    );
    return [...ofText, ...ofCalls];
  });
}

/** Returns the value that a message submits. Undefined if it has none, or it cannot be parsed. */
export function valueOfSubmission({ content }: Pick<MessageView, 'content'>): unknown {
  const call = content.find((part) => part.type === 'tool_call' && part.tool_name === FINALIZER_NAME);
  if (call?.type === 'tool_call') return submittedValue(call.args);
  return writtenValue(content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
}

/** Returns the answer's view. A new draft replaces a refused value. */
export function answerView(
  receipt: Receipt | undefined,
  attempts: readonly AnswerAttempt[],
  draft: unknown,
): AnswerView {
  switch (receipt?.status) {
    case 'succeeded':
      return {
        state: 'valid',
        issues: [],
        value: receipt.value_text === undefined ? receipt.value : parseExact(receipt.value_text),
      };
    case 'failed':
    case 'canceled': {
      const last = attempts.at(-1);
      return { state: receipt.status, value: last?.value, issues: issuesOf(last) };
    }
    default: {
      const last = attempts.at(-1);
      if (draft !== undefined) return { state: 'draft', value: draft, issues: openIssues(last, draft) };
      if (last !== undefined && last.attempt.code !== 'ok') {
        return { state: 'refused', value: last.value, issues: issuesOf(last) };
      }
      return { state: 'waiting', issues: [], ...(last !== undefined && { value: last.value }) };
    }
  }
}

/** The issues of an attempt, each at its field. */
function issuesOf(attempt: AnswerAttempt | undefined): AnswerView['issues'] {
  return (attempt?.attempt.issues ?? []).map((issue) => placedIssue(issue));
}

/** One value, so that rows of a growing value stay equal. */
const NO_ISSUES: AnswerView['issues'] = [];

/**
 * Returns the issues of the refused attempt, which stay at their fields until the draft reaches
 * them.
 */
function openIssues(last: AnswerAttempt | undefined, draft: unknown): AnswerView['issues'] {
  if (last === undefined) return NO_ISSUES;
  return issuesOf(last).filter(({ path }) => path !== '' && partAt(draft, path) === undefined);
}

/** `2 of 3 fields`. Undefined if the schema has no members. */
export function progressOf(schema: DescribedSchema, value: unknown): string | undefined {
  const members = membersOf(resolveSchema(schema, schema));
  const record = asRecord(value) ?? {};
  const filled = members.filter(({ name }) => record[name] !== undefined).length;
  return members.length === 0 ? undefined : `${filled} of ${members.length} fields`;
}
