/**
 * Envelope removal: undoes common wrappers of models around an answer, such as `{"output": …}` or a
 * string with the JSON. Pure.
 */
import { memberText } from '../../schema/json-text/member-text.ts';

/** Key of an envelope, and of the finalizer tool's input. */
export const ENVELOPE_KEY = 'output';

/** An envelope that was removed: a string with the JSON, or a second `output`. */
export type EnvelopeRepair = 'parsed-string' | 'unwrapped-output';

/** A value with its JSON text, in which numbers keep all their digits. */
export interface WrittenAnswer {
  readonly value: unknown;
  readonly text: string;
}

/** An answer, and the repairs that led to it, first one first. */
export interface UnwrappedAnswer extends WrittenAnswer {
  readonly repairs: readonly EnvelopeRepair[];
}

/**
 * A wrapper can contain a string, and a string a wrapper. Deeper wrapping is not a model's habit
 * but another value.
 */
const MAX_REPAIRS = 2;

/**
 * Removes an answer's envelopes. Works on the text: parsing and serializing would round numbers.
 *
 * @param read - parses and screens the text inside an envelope. Undefined ends the search.
 * @yields the content of each envelope, outermost first
 */
export function* undoEnvelopes(
  answer: UnwrappedAnswer,
  read: (text: string) => WrittenAnswer | undefined,
): Generator<UnwrappedAnswer, undefined> {
  let { repairs } = answer;
  let outer: WrittenAnswer = answer;
  while (repairs.length < MAX_REPAIRS) {
    const inside = insideOf(outer);
    const inner = inside === undefined ? undefined : read(inside.text);
    if (inside === undefined || inner === undefined) return undefined;
    repairs = [...repairs, inside.repair];
    outer = inner;
    yield { ...inner, repairs };
  }
  return undefined;
}

function insideOf({
  value,
  text,
}: WrittenAnswer): { readonly text: string; readonly repair: EnvelopeRepair } | undefined {
  if (typeof value === 'string') return { text: value.trim(), repair: 'parsed-string' };
  if (!isEnvelope(value)) return undefined;
  const inner = memberText(text, [ENVELOPE_KEY]);
  return inner === undefined ? undefined : { text: inner, repair: 'unwrapped-output' };
}

/** Returns true for an object with the envelope's key and no other. */
function isEnvelope(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).length === 1 && Object.hasOwn(value, ENVELOPE_KEY);
}
