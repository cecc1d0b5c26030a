/** Envelope `{ "output": … }` around an answer: that of the answer tool, and a common wrapper of models. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { memberText } from '../../schema/json-text/member-text.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';

/** Returns the arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${ENVELOPE_KEY}":${answerText}}`;
}

/** Returns true for an object with the key of the envelope. */
export function hasEnvelope(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, ENVELOPE_KEY);
}

/** Returns the content of a parsed envelope. Undefined for a value without its key. */
export function valueIn(value: unknown): unknown {
  return hasEnvelope(value) ? value[ENVELOPE_KEY] : undefined;
}

/** A value with its JSON text, in which numbers keep all their digits. */
export interface WrittenAnswer {
  readonly value: unknown;
  readonly text: string;
}

export interface EnvelopeContent extends WrittenAnswer {
  /** False if the object has other keys. */
  readonly isAlone: boolean;
}

/** Returns the unchanged text in an envelope: parsing and serializing would round numbers. */
export function contentOf({ value, text }: WrittenAnswer): EnvelopeContent | undefined {
  if (!hasEnvelope(value)) return undefined;
  const content = memberText(text, [ENVELOPE_KEY]);
  const isAlone = Object.keys(value).length === 1;
  return content === undefined ? undefined : { value: valueIn(value), text: content, isAlone };
}
