/** Words for the repairs of a submission, and for the way in which it was requested. Pure. */
import type { Receipt } from '@truecast/client';
import { describeRefusal, withGot } from '@truecast/core/internal/output/validate/describe-refusal';

type Attempt = Receipt['attempts'][number];

/** Describes an attempt by its first issue with the submitted part, or by its code. */
export function describeAttempt({ code, issues = [] }: Attempt, value?: unknown): string {
  return describeRefusal({ code, issues: issues.map((issue) => withGot(issue, value)) });
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
