/** Owns finding, in JSON text, what its parsed value no longer shows: keys that stand twice, and halves of characters. Pure. */
import { unquote, walkJson } from '../../output/finalizer/walk-json.ts';

/** Something in the text that no value can tell of. */
export interface TextFault {
  readonly kind: 'doubled-key' | 'lone-surrogate';
  /** The value that holds it; for a doubled key, the value of that key. */
  readonly path: readonly (string | number)[];
}

/** More than these are not told. */
const MAX_FAULTS = 20;

/** Returns the faults of a well-formed JSON text, in its order. */
export function screenJson(text: string): readonly TextFault[] {
  const faults: TextFault[] = [];
  const path: (string | number)[] = [];
  /** For each depth, how many elements without a key were seen in the container that is open there. */
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
      if (unquote(token).isWellFormed()) return undefined;
      faults.push({ kind: 'lone-surrogate', path: [...path] });
      return faults.length > MAX_FAULTS ? 'enough' : undefined;
    },
    ended: () => undefined,
  });
  return faults.slice(0, MAX_FAULTS);
}
