/** Describes validation issues by place and rule, never with the value. Pure. */
import { clip } from '@truecast/core/internal/errors/base/describe-value';
import type { Issue } from '@truecast/core/internal/errors/base/issue';
import type { AttemptIssue } from '../contract/receipt.ts';
import { toPointer } from '../format/format-problem.ts';

/** Maximum issues per message: fixing these often fixes the rest. */
const MAX_ISSUES = 4;
const MAX_RULE_CHARS = 120;

/** Returns the first four distinct issues, ordered by place. */
export function describeIssues(issues: readonly Issue[]): readonly AttemptIssue[] {
  const told = new Map<string, AttemptIssue>();
  for (const { path, message } of issues) {
    const issue = { path: toPointer([...path, ...unexpectedKey(message)]), rule: ruleOf(message) };
    told.set(`${issue.path}\n${issue.rule}`, issue);
  }
  const order = [...told.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return order.slice(0, MAX_ISSUES).map(([, issue]) => issue);
}

/**
 * A message is `Expected …, got …`: the expectation comes from the schema, the rest from the model.
 * Of any other message only the kind is shown.
 */
function ruleOf(message: string): string {
  const [expected = ''] = message.split(', got ');
  if (/^(?:Expected|Missing required property) /u.test(expected)) return clip(expected, MAX_RULE_CHARS);
  return message.startsWith('Unexpected property') ? 'Unexpected property' : 'Does not fit the schema';
}

/** A forbidden property is named by its place, so that the model finds it. */
function unexpectedKey(message: string): string[] {
  const key = /^Unexpected property `(.*)`$/su.exec(message)?.[1];
  return key === undefined ? [] : [key];
}
