/** Owns what a model is told when its answer is not taken: what was wrong, and what to call now; at most 1 KiB, and no value. Pure. */
import { FINALIZER_KEY, FINALIZER_NAME } from '../../output/finalizer/finalizer-tool.ts';
import { isLongerThan } from '../../output/utf8-length.ts';
import type { AttemptIssue, Mechanism, ReceiptAttempt } from '../contract/receipt.ts';

/** The most that a text is, in bytes of UTF-8. */
const MAX_TEXT_BYTES = 1_024;

const CALL_AGAIN = `Call \`${FINALIZER_NAME}\` again, alone, with {"${FINALIZER_KEY}": <the whole corrected answer>}.`;
const ANSWER_AGAIN = 'Answer again with the whole corrected JSON, and nothing else.';

const PROBLEMS: Readonly<Record<ReceiptAttempt['code'], string>> = {
  ok: 'The answer is accepted.',
  text_only: 'This request is not answered by text.',
  invalid: 'The answer does not fit its schema:',
  not_alone: `\`${FINALIZER_NAME}\` must be the only call of its step. Nothing of this step was run.`,
  malformed: 'The answer cannot be read:',
  too_large: 'The answer is too large:',
  truncated: 'The answer was cut off before its end. Make it shorter.',
  empty: 'Nothing was answered.',
};

/** Tells what was wrong with a submission and what to do now. */
export function rejectionText(
  { code, issues = [] }: ReceiptAttempt,
  mechanism: Mechanism = 'required',
): string {
  const next = mechanism === 'native' ? ANSWER_AGAIN : CALL_AGAIN;
  const lines = issues.map(showIssue);
  while (lines.length > 0) {
    const text = [PROBLEMS[code], ...lines, next].join('\n');
    if (!isLongerThan(text, MAX_TEXT_BYTES)) return text;
    lines.pop();
  }
  return `${PROBLEMS[code]} ${next}`;
}

/** Tells a model that only said something what ends the turn. */
export const TEXT_ONLY_TEXT: string =
  `${PROBLEMS.text_only} Call \`${FINALIZER_NAME}\`, alone, with {"${FINALIZER_KEY}": <the whole answer>}; ` +
  'before that, call whatever other tools the work still needs.';

/** Tells why a call beside a tool that must be alone was not run. */
export function siblingText(exclusiveName: string): string {
  return `Not run: \`${exclusiveName}\` was called in the same step, and must be alone in it. Make this call again without it, and that one in a step of its own.`;
}

/** Tells a model that called a tool which must be alone beside others. */
export function notAloneText(exclusiveName: string): string {
  return `Not run: \`${exclusiveName}\` must be the only call of its step. Call it again, alone.`;
}

function showIssue({ path, rule }: AttemptIssue): string {
  return `- ${path === '' ? '(the whole answer)' : path}: ${rule}`;
}
