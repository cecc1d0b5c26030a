/** Owns parts of an answer that travel as JSON text in a string, where a provider cannot say what they are. Pure. */
import type { Lowered } from './lowering-port.ts';

const ANY_TEXT = 'JSON text of the value';

/** A string that holds the JSON of any value. */
export function jsonText(description?: unknown): Lowered {
  const text = typeof description === 'string' ? `${description}\n(${ANY_TEXT})` : ANY_TEXT;
  return { schema: { type: 'string', description: text }, inverse: readJsonText };
}

/** A string that is the JSON of one of the given values. */
export function jsonTextOf(
  values: readonly unknown[],
  annotations: Readonly<Record<string, unknown>>,
): Lowered {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return {
    schema: { type: 'string', ...annotations, enum: [...byText.keys()] },
    inverse: (value) => (typeof value === 'string' && byText.has(value) ? byText.get(value) : value),
  };
}

/** What is no JSON stays the string that it is: the schema that was given judges it. */
function readJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
}
