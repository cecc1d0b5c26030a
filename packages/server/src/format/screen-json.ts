/**
 * Finds faults in JSON text that its parsed value hides: duplicate keys, unpaired surrogates, and
 * numbers that parsing changes. Pure.
 */
import { inexactNumberAt } from '@truecast/core/internal/schema/json-text/find-inexact';
import { unquote, walkJson } from '@truecast/core/internal/schema/json-text/walk-json';

/** A fault of the text. */
export interface TextFault {
  readonly kind: 'doubled-key' | 'lone-surrogate' | 'out-of-range' | 'integer';
  /** The problem of a number, and what to send instead. */
  readonly message?: string;
  /** Path of the containing value. For a duplicate key, the path of that key. */
  readonly path: readonly (string | number)[];
}

/** Maximum reported faults, and maximum reported integers. */
const MAX_FAULTS = 20;

/** Returns the faults of a well-formed JSON text, in order. */
export function screenJson(text: string): readonly TextFault[] {
  const faults: TextFault[] = [];
  const counts = { integer: 0, other: 0 };
  /** Callers can accept integers, so that these must not hide other faults. */
  const add = (fault: TextFault): string | undefined => {
    const kind = fault.kind === 'integer' ? 'integer' : 'other';
    counts[kind] += 1;
    if (counts[kind] <= MAX_FAULTS) faults.push(fault);
    return counts.other > MAX_FAULTS ? 'enough' : undefined;
  };
  const path: (string | number)[] = [];
  /** Per depth, the number of array elements seen in the open container. */
  const elements: number[] = [];
  const keysOf = new WeakMap<object, Set<string>>();
  let pendingKey: string | undefined;
  walkJson(text, {
    value(start, depth) {
      const index = elements[depth] ?? 0;
      if (pendingKey === undefined) elements[depth] = index + 1;
      path.length = Math.max(0, depth - 1);
      if (depth > 0) path.push(pendingKey ?? index);
      pendingKey = undefined;
      elements[depth + 1] = 0;
      const number = inexactNumberAt(text, start);
      return number && add({ ...number, path: [...path] });
    },
    key(token, depth, object) {
      const key = unquote(token);
      const keys = keysOf.get(object) ?? new Set();
      keysOf.set(object, keys);
      path.length = depth - 1;
      pendingKey = key;
      if (keys.has(key)) return add({ kind: 'doubled-key', path: [...path, key] });
      keys.add(key);
      return undefined;
    },
    string(token) {
      // An unpaired surrogate is written as itself or as an escape. Most strings contain neither.
      if (token.isWellFormed() && (!token.includes('\\u') || unquote(token).isWellFormed())) return undefined;
      return add({ kind: 'lone-surrogate', path: [...path] });
    },
    ended: () => undefined,
  });
  return faults;
}
