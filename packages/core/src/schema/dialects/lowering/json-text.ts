/** JSON text: parts of an answer encoded in a string, if a provider has no form for them. Pure. */
import { findInexact } from '../../json-text/find-inexact.ts';
import type { WorkMeter } from '../../work/work-budget.ts';
import type { Lowered } from './lowering-port.ts';

const ANY_TEXT = 'JSON text of the value';

/** Returns the schema of a string that contains the JSON of any value. */
export function jsonText(description?: unknown): Lowered {
  const text = typeof description === 'string' ? `${description}\n(${ANY_TEXT})` : ANY_TEXT;
  return { schema: { type: 'string', description: text }, inverse: readJsonText };
}

/** Returns the schema of a string that is the JSON of one of the given values. */
export function jsonTextOf(
  values: readonly unknown[],
  annotations: Readonly<Record<string, unknown>>,
  work: WorkMeter,
): Lowered {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  for (const text of byText.keys()) work.spend(2 + (text.length >> 4));
  return {
    schema: { type: 'string', ...annotations, enum: [...byText.keys()] },
    inverse: (value) => (typeof value === 'string' && byText.has(value) ? byText.get(value) : value),
  };
}

/**
 * Text that is not JSON, or that would lose precision when parsed, stays a string. The original
 * schema then validates it.
 */
function readJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return findInexact(value, parsed) === undefined ? parsed : value;
  } catch {
    return value;
  }
}
