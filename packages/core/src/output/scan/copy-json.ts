/** Deep copy of JSON values of any depth. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import { setOwn } from './set-own.ts';

type Container = JsonValue[] | { [key: string]: JsonValue };

/**
 * Returns a copy that shares nothing with `value`. Iterative, because a value can be nested deeper
 * than the call stack.
 */
export function copyJson(value: JsonValue): JsonValue {
  const pending: { readonly from: Container; readonly to: Container }[] = [];
  const begin = (from: JsonValue): JsonValue => {
    if (typeof from !== 'object' || from === null) return from;
    const to: Container = Array.isArray(from) ? [] : {};
    pending.push({ from, to });
    return to;
  };
  const root = begin(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { from, to } = next;
    if (Array.isArray(from) && Array.isArray(to)) for (const item of from) to.push(begin(item));
    else if (!Array.isArray(from) && !Array.isArray(to)) {
      for (const [key, item] of Object.entries(from)) setOwn(to, key, begin(item));
    }
  }
  return root;
}
