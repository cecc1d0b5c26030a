/** Sentences about attempts. Pure. */
import type { Receipt } from '@truecast/client';
import { shortValue, valueAt } from './value-at.ts';

type Attempt = Receipt['attempts'][number];

const SENTENCES: Readonly<Record<Attempt['code'], string>> = {
  ok: 'valid',
  text_only: 'text instead of an answer',
  invalid: 'does not match the schema',
  not_alone: 'submitted together with other calls',
  malformed: 'not valid JSON',
  too_large: 'too large',
  truncated: 'cut off at the output limit',
  refused: 'refused by the model',
  empty: 'empty reply',
};

/** Describes an attempt by its first issue with the submitted part, or by its code. */
export function describeAttempt({ code, issues = [] }: Attempt, value?: unknown): string {
  const [first] = issues;
  if (first === undefined) return SENTENCES[code];
  const got = shortValue(valueAt(value, first.path));
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const rule = `${first.path === '' ? '' : `${first.path} `}${lowerFirst(first.rule)}`;
  return `${rule}${got === undefined ? '' : `, got ${got}`}${more}`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Describes in plain words how a submission was repaired. */
export function describeRepair(repair: string): string {
  if (repair === 'parsed_string') return 'The answer was a JSON text, which was parsed.';
  if (repair === 'unwrapped_output') return 'The answer was wrapped in one more `output`, which was removed.';
  return repair;
}

const MECHANISMS: Readonly<Record<NonNullable<Receipt['mechanism']>, string>> = {
  required: 'required tool',
  native: "provider's schema mode",
  auto: 'optional tool',
};

/** Names the way in which the answer was requested. */
export function describeMechanism(mechanism: NonNullable<Receipt['mechanism']>): string {
  return MECHANISMS[mechanism];
}
