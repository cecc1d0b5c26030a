/** Submitted value: what a model handed in, read from the arguments of its call or from its text. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';
import { parseExact } from '../json/exact-value.ts';

/** Returns the value without its envelope. Undefined if the text is not JSON. */
export function submittedValue(text: string): unknown {
  try {
    const parsed = parseExact(text);
    return isRecord(parsed) && ENVELOPE_KEY in parsed ? parsed[ENVELOPE_KEY] : parsed;
  } catch {
    return undefined;
  }
}
