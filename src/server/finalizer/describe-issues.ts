/** Owns what is told of a value that does not fit: where, and which rule; never the value. Pure. */
import type { Issue } from '../../errors/issue.ts';
import type { AttemptIssue } from '../contract/receipt.ts';
import { toPointer } from '../format/format-problem.ts';

/** More than these are not told at once: the rest often goes with them. */
const MAX_ISSUES = 4;
const MAX_RULE_CHARS = 120;

/** Returns the first four issues in the order of their places, each place and rule once. */
export function describeIssues(issues: readonly Issue[]): readonly AttemptIssue[] {
  const told = new Map<string, AttemptIssue>();
  for (const { path, message } of issues) {
    const issue = { path: toPointer([...path, ...unexpectedKey(message)]), rule: ruleOf(message) };
    told.set(`${issue.path}\n${issue.rule}`, issue);
  }
  const order = [...told.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return order.slice(0, MAX_ISSUES).map(([, issue]) => issue);
}

/** A message is `Expected …, got …`: what is expected is the schema's, what was got is the model's. Of another form only its kind is told. */
function ruleOf(message: string): string {
  const [expected = ''] = message.split(', got ');
  if (/^(?:Expected|Missing required property) /u.test(expected)) return clip(expected);
  return message.startsWith('Unexpected property') ? 'Unexpected property' : 'Does not fit the schema';
}

/** A property that must not be there is named by its place, so that the model finds it. */
function unexpectedKey(message: string): string[] {
  const key = /^Unexpected property `(.*)`$/su.exec(message)?.[1];
  return key === undefined ? [] : [key];
}

function clip(rule: string): string {
  return rule.length > MAX_RULE_CHARS ? `${rule.slice(0, MAX_RULE_CHARS - 1).toWellFormed()}…` : rule;
}
