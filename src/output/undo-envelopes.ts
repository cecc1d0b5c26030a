/** Owns undoing what models are known to put around an answer: an `{"output": …}` wrapper, a string that holds the JSON. Pure. */
import { parseJson } from './parse-json.ts';
import type { Repair } from './provenance.ts';

/** A value that was taken out of its envelopes, and what was undone, outermost first. */
export interface Unwrapped {
  readonly inner: unknown;
  readonly repairs: readonly Repair[];
}

/** A wrapper may hold a string, and a string a wrapper; what is wrapped deeper is no habit of a model's but another value. */
const MAX_ENVELOPES = 2;

/** Returns what stands inside of the value's envelopes, the outermost first; empty when there are none. */
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
    return parsed.success ? { inner: parsed.value, kind: 'parsed-string' } : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'output')) return undefined;
  if (Object.keys(value).length !== 1) return undefined;
  return 'output' in value ? { inner: value.output, kind: 'unwrapped-output' } : undefined;
}
