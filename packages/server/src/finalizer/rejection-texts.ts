/**
 * Feedback to a model about a rejected answer: the problem and the next call, at most 1 KiB,
 * without values. Pure.
 */
import { isByText } from '@truecast/model/internal/ladder/choose-way';
import {
  CALL_FINALIZER,
  CALL_WHEN_DONE,
  NOT_ANSWERED,
} from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import type { AttemptIssue, ReceiptAttempt, ReceiptMode } from '@truecast/client/internal/wire/receipt';

const MAX_TEXT_BYTES = 1_024;

const ANSWER_AGAIN = 'Answer again with the whole corrected JSON, and nothing else.';

const PROBLEMS: Readonly<Record<ReceiptAttempt['code'], string>> = {
  ok: 'The answer is accepted.',
  text_only: NOT_ANSWERED.text,
  invalid: 'The answer does not fit its schema:',
  not_alone: NOT_ANSWERED.notAlone,
  malformed: 'The answer cannot be read:',
  too_large: 'The answer is too large:',
  truncated: 'The answer was cut off before its end. Make it shorter.',
  runaway: 'The answer repeated itself without end.',
  refused: 'The answer was refused.',
  empty: 'Nothing was answered.',
};

/** Describes the problem of a submission and the next step. */
export function rejectionText({ code, issues = [] }: ReceiptAttempt, mode: ReceiptMode = 'tool'): string {
  return withIssues(problemOf(code), issues, isByText(mode) ? ANSWER_AGAIN : CALL_FINALIZER.again);
}

function problemOf(code: ReceiptAttempt['code']): string {
  return PROBLEMS[code] ?? PROBLEMS.malformed;
}

/** Explains the end of the turn to a model that wrote only text, and what does not fit in it. */
export function textOnlyText(issues: readonly AttemptIssue[]): string {
  return withIssues(PROBLEMS.text_only, issues, CALL_WHEN_DONE);
}

function withIssues(problem: string, issues: readonly AttemptIssue[], next: string): string {
  const lines = issues.map(showIssue);
  while (lines.length > 0) {
    const text = [problem, ...lines, next].join('\n');
    if (!isLongerThan(text, MAX_TEXT_BYTES)) return text;
    lines.pop();
  }
  return `${problem} ${next}`;
}

/** Explains the problem of a function's arguments, or that another call of the step has one. */
export function rejectedCallText(name: string, attempt: ReceiptAttempt | undefined): string {
  if (attempt === undefined) {
    return 'Not run: another call of this step has invalid arguments. Make this call again.';
  }
  const { code, issues = [] } = attempt;
  const problem = code === 'invalid' ? 'The arguments do not fit their schema:' : problemOf(code);
  return withIssues(problem, issues, `Call \`${name}\` again, with the whole corrected arguments.`);
}

/** Explains to a model that an exclusive tool must be called alone. */
export function notAloneText(exclusiveName: string): string {
  return `Not run: \`${exclusiveName}\` must be the only call of its step. Call it again, alone.`;
}

function showIssue({ path, rule }: AttemptIssue): string {
  return `- ${path === '' ? '(the whole answer)' : path}: ${rule}`;
}
