/** Labels and colours of an answer's state, and the progress of a draft. Pure. */
import { asRecord, membersOf, resolveSchema, type DescribedSchema } from '../json/describe-schema.ts';
import type { ShownAnswerState } from './value-state.ts';

/** Classes of the edge and of the sign, and the word. */
export const ANSWER_LOOK: Readonly<
  Record<ShownAnswerState, { readonly edge: string; readonly sign: string; readonly word: string }>
> = {
  waiting: { edge: 'border-line', sign: 'text-muted', word: 'waiting' },
  draft: { edge: 'border-dashed border-warn', sign: 'bg-warn-soft text-warn', word: 'draft, not validated' },
  refused: { edge: 'border-bad', sign: 'bg-bad-soft text-bad', word: '× refused, trying again' },
  valid: { edge: 'border-ok animate-seal', sign: 'bg-ok-soft text-ok', word: '✓ valid' },
  failed: { edge: 'border-bad', sign: 'bg-bad-soft text-bad', word: '× failed' },
  canceled: { edge: 'border-line', sign: 'bg-sunken text-muted', word: 'canceled' },
};

/** `2 of 3 fields`. Undefined if the schema has no members. */
export function progressOf(schema: DescribedSchema, value: unknown): string | undefined {
  const members = membersOf(resolveSchema(schema, schema));
  const record = asRecord(value) ?? {};
  const filled = members.filter(({ name }) => record[name] !== undefined).length;
  return members.length === 0 ? undefined : `${filled} of ${members.length} fields`;
}
