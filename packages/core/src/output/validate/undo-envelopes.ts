/**
 * Envelope removal: undoes common wrappers of models around an answer, such as `{"output": …}` or a
 * string with the JSON. Pure.
 */
import { findInexact } from '../../schema/json-text/find-inexact.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Repair } from '../definition/provenance.ts';

/** A value without its envelopes, and the removed envelopes, outermost first. */
export interface Unwrapped {
  readonly inner: unknown;
  readonly repairs: readonly Repair[];
}

/**
 * A wrapper can contain a string, and a string a wrapper. Deeper wrapping is not a model's habit
 * but another value.
 */
const MAX_ENVELOPES = 2;

/** Returns the contents of the value's envelopes, outermost first. Empty without envelopes. */
export function undoEnvelopes(value: unknown): Unwrapped[] {
  const unwrapped: Unwrapped[] = [];
  let inner = value;
  let repairs: readonly Repair[] = [];
  while (repairs.length < MAX_ENVELOPES) {
    const next = undoOne(inner);
    if (next === undefined) break;
    inner = next.inner;
    repairs = [...repairs, { kind: next.kind, path: [] }];
    unwrapped.push({ inner, repairs });
  }
  return unwrapped;
}

function undoOne(value: unknown): { readonly inner: unknown; readonly kind: string } | undefined {
  if (typeof value === 'string') {
    const parsed = parseJson(value.trim());
    if (!parsed.success || findInexact(value.trim(), parsed.value) !== undefined) return undefined;
    return { inner: parsed.value, kind: 'parsed-string' };
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'output')) return undefined;
  if (Object.keys(value).length !== 1) return undefined;
  return 'output' in value ? { inner: value.output, kind: 'unwrapped-output' } : undefined;
}
