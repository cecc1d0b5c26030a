/** Submitted value: the answer of a model, read from the arguments of its call or from its text. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';
import { parseExact } from '../../json/exact-value.ts';

/** Returns the value in the arguments of a call, without its envelope. Undefined if they are not JSON. */
export function submittedValue(args: string): unknown {
  const parsed = writtenValue(args);
  return isRecord(parsed) && ENVELOPE_KEY in parsed ? parsed[ENVELOPE_KEY] : parsed;
}

/**
 * Returns the value of a text that is the answer itself, which can have a member with the envelope's
 * name. Undefined if it is not JSON.
 */
export function writtenValue(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
