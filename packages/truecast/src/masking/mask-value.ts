/** Masking of values that are not text: tool inputs, evidence, outcomes. Pure. */
import type { SecretMask } from './secret-mask.ts';

/** Larger than the depth limit of every parser in this project. */
const MAX_DEPTH = 500;

/**
 * Returns a copy in which every string is masked, keys included. Class instances are not changed.
 */
export function maskValue<TValue>(value: TValue, mask: SecretMask): TValue {
  // Masking keeps the shape: strings stay strings.
  return copy(value, mask, new Map(), 0) as TValue;
}

/** Returns the JSON pointers of strings and keys that contain a secret, at most `limit`. */
export function findSecrets(value: unknown, mask: SecretMask, limit: number): readonly string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const hasSecret = (text: string): boolean => mask.mask(text) !== text;
  const visit = (each: unknown, path: string): void => {
    if (found.length >= limit) return;
    if (typeof each === 'string') {
      if (hasSecret(each)) found.push(path);
      return;
    }
    if (typeof each !== 'object' || each === null || seen.has(each)) return;
    seen.add(each);
    for (const [key, member] of Object.entries(each)) {
      const place = `${path}/${mask.mask(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (hasSecret(key)) found.push(place);
      else visit(member, place);
    }
  };
  visit(value, '');
  return found;
}

function copy(value: unknown, mask: SecretMask, copies: Map<object, unknown>, depth: number): unknown {
  if (typeof value === 'string') return mask.mask(value);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  const made: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
  copies.set(value, made);
  for (const [key, member] of Object.entries(value)) {
    const masked = copy(member, mask, copies, depth + 1);
    // `__proto__` in a parsed JSON text is an ordinary member.
    Object.defineProperty(made, Array.isArray(value) ? key : mask.mask(key), {
      value: masked,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
