/** Envelope `{ "output": … }` around an answer: that of the answer tool, and a common wrapper of models. Pure. */
import { isRecord } from '../../errors/base/is-record.ts';
import { memberText } from '../../schema/json-text/member-text.ts';

/** Key of an envelope, and of the finalizer tool's input. */
export const ENVELOPE_KEY = 'output';

/** A value with its JSON text, in which numbers keep all their digits. */
export interface WrittenAnswer {
  readonly value: unknown;
  readonly text: string;
}

/** The content of an envelope. */
export interface EnvelopeContent extends WrittenAnswer {
  /** False if the object has other keys. */
  readonly isAlone: boolean;
}

/** Returns the unchanged text in an envelope: parsing and serializing would round numbers. */
export function contentOf({ value, text }: WrittenAnswer): EnvelopeContent | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, ENVELOPE_KEY)) return undefined;
  const content = memberText(text, [ENVELOPE_KEY]);
  const isAlone = Object.keys(value).length === 1;
  return content === undefined ? undefined : { value: value[ENVELOPE_KEY], text: content, isAlone };
}
