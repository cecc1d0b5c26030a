/**
 * Finds faults in JSON text that its parsed value hides: duplicate keys and unpaired surrogates.
 * Pure.
 */
import { unquote, walkJson } from '@truecast/core/internal/schema/json-text/walk-json';

/** A fault of the text. */
export interface TextFault {
  readonly kind: 'doubled-key' | 'lone-surrogate';
  /** Path of the containing value. For a duplicate key, the path of that key. */
  readonly path: readonly (string | number)[];
}

/** Maximum reported faults. */
const MAX_FAULTS = 20;

/** Returns the faults of a well-formed JSON text, in order. */
export function screenJson(text: string): readonly TextFault[] {
  const faults: TextFault[] = [];
  const path: (string | number)[] = [];
  /** Per depth, the number of array elements seen in the open container. */
  const elements: number[] = [];
  const keysOf = new WeakMap<object, Set<string>>();
  let pendingKey: string | undefined;
  walkJson(text, {
    value(_start, depth) {
      const index = elements[depth] ?? 0;
      if (pendingKey === undefined) elements[depth] = index + 1;
      path.length = Math.max(0, depth - 1);
      if (depth > 0) path.push(pendingKey ?? index);
      pendingKey = undefined;
      elements[depth + 1] = 0;
      return undefined;
    },
    key(token, depth, object) {
      const key = unquote(token);
      const keys = keysOf.get(object) ?? new Set();
      keysOf.set(object, keys);
      path.length = depth - 1;
      if (keys.has(key)) faults.push({ kind: 'doubled-key', path: [...path, key] });
      keys.add(key);
      pendingKey = key;
      return faults.length > MAX_FAULTS ? 'enough' : undefined;
    },
    string(token) {
      // An unpaired surrogate is written as itself or as an escape. Most strings contain neither.
      if (token.isWellFormed() && (!token.includes('\\u') || unquote(token).isWellFormed())) return undefined;
      faults.push({ kind: 'lone-surrogate', path: [...path] });
      return faults.length > MAX_FAULTS ? 'enough' : undefined;
    },
    ended: () => undefined,
  });
  return faults.slice(0, MAX_FAULTS);
}
