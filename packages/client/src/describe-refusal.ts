/** Sentence about a refused attempt, for people. Pure. */
import type { RefusedIssue } from './refused-attempts.ts';
import type { ReceiptAttempt } from './wire/receipt.ts';

interface Refusal {
  readonly code: ReceiptAttempt['code'];
  readonly issues?: readonly RefusedIssue[] | undefined;
}

/** Describes it on one line, such as `invalid: /line Expected integer, got "seven"`. */
export function describeRefusal({ code, issues = [] }: Refusal): string {
  const found = issues.map(describeIssue).join('; ');
  return found === '' ? code : `${code}: ${found}`;
}

function describeIssue({ path, rule, got }: RefusedIssue): string {
  return `${path === '' ? '' : `${path} `}${rule}${got === undefined ? '' : `, got ${got}`}`;
}
