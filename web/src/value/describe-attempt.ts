/** Sentences about attempts. Pure. */
import type { Receipt } from '@truecast/client';
import { shortValue, partAt } from '@truecast/core/internal/output/json/exact-value';
import { placedIssue } from './placed-issue.ts';

type Attempt = Receipt['attempts'][number];

const SENTENCES: Readonly<Record<Attempt['code'], string>> = {
  ok: 'valid',
  text_only: 'text instead of an answer',
  invalid: 'does not match the schema',
  not_alone: 'submitted together with other calls',
  malformed: 'not valid JSON',
  too_large: 'too large',
  truncated: 'cut off at the output limit',
  runaway: 'ended because it repeated itself',
  refused: 'refused by the model',
  empty: 'empty reply',
};

/** Describes an attempt by its first issue with the submitted part, or by its code. */
export function describeAttempt({ code, issues = [] }: Attempt, value?: unknown): string {
  const [first] = issues;
  if (first === undefined) return SENTENCES[code] ?? code;
  const { path, rule, isMissing } = placedIssue(first.path, first.rule);
  const got = isMissing ? undefined : shortValue(partAt(value, path));
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  return `${path === '' ? '' : `${path} `}${lowerFirst(rule)}${got === undefined ? '' : `, got ${got}`}${more}`;
}

/** `Expected integer` reads as `expected integer`. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

const REPAIRS: Readonly<Record<string, string>> = {
  parsed_string: 'The answer was a JSON text, which was parsed.',
  unwrapped_output: 'The answer was wrapped in one more `output`, which was removed.',
  missing_envelope: 'The answer was submitted without its `output`.',
  unwrapped_fence: 'The answer was in a Markdown fence, which was removed.',
  dropped_end_token: 'A mark of a chat template after the answer was removed.',
  dropped_reasoning: 'Reasoning before the answer was removed.',
  read_tool_call: 'The answer was in a call that was written as text.',
  answer_in_text: 'The answer was text instead of a call.',
  answer_in_reasoning: 'The answer was in the reasoning.',
};

/** Describes in plain words how a submission was repaired. */
export function describeRepair(repair: string): string {
  return REPAIRS[repair] ?? repair;
}

const MODES: Readonly<Record<NonNullable<Receipt['mode']>, string>> = {
  tool: 'required tool',
  native: "provider's schema mode",
  tool_auto: 'optional tool',
  json: 'text that is JSON',
};

/** Names the way in which the answer was requested. */
export function describeMode(mode: NonNullable<Receipt['mode']>): string {
  return MODES[mode] ?? mode;
}
