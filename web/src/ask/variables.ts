/** Variables of a kept question: `{{name}}` in its text, and their values in the draft. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { parsePlaceholders } from '@truecast/core/internal/kit/placeholders';
import { asRecord } from '../json/describe-schema.ts';

/** The members of a draft that variables need. */
interface VariableDraft {
  /** Text of the question, with its variables. */
  readonly message: string;
  /** `yes` for a question of the library. In another one, `{{name}}` is plain text. */
  readonly kept: string;
  /** JSON of an object with the values. */
  readonly values: string;
}

/** A variable of the question. */
interface Variable {
  readonly name: string;
  /** Empty until it is filled in. */
  readonly value: string;
}

/** Returns the variables in the order of the text, each once. */
export function variablesOf({ message, kept, values }: VariableDraft): readonly Variable[] {
  if (kept === '') return [];
  const names = parsePlaceholders(message).flatMap((part) => (part.type === 'argument' ? [part.key] : []));
  const written = asRecord(jsonValueOf(values)) ?? {};
  return [...new Set(names)].map((name) => {
    const value = Object.hasOwn(written, name) ? written[name] : '';
    return { name, value: typeof value === 'string' ? value : '' };
  });
}

/** Returns the text that is sent. A variable without a value stays a placeholder. */
export function filledMessage(draft: VariableDraft): string {
  if (draft.kept === '') return draft.message;
  const values = new Map(variablesOf(draft).map(({ name, value }) => [name, value]));
  return parsePlaceholders(draft.message)
    .map((part) => {
      if (part.type === 'text') return part.text;
      const value = values.get(part.key) ?? '';
      return value === '' ? `{{${part.key}}}` : value;
    })
    .join('');
}

/** Returns the values of a draft with another one. Values of variables that the text no longer has are kept. */
export function withValue({ values }: VariableDraft, { name, value }: Variable): string {
  return JSON.stringify({ ...asRecord(jsonValueOf(values)), [name]: value });
}

/** A value of spaces would leave a gap in the question. */
export function isFilled({ value }: Variable): boolean {
  return value.trim() !== '';
}
