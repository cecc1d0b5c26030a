/** Masking of values that are not text: tool inputs, evidence, outcomes, errors. */
import { maskedError } from './masked-error.ts';
import type { SecretMask } from './secret-mask.ts';

/** Larger than the depth limit of every parser in this project. */
const MAX_DEPTH = 500;

/**
 * Returns a copy in which every string is masked, keys included: in arrays, plain objects, maps,
 * sets, and in errors with their causes. Instances of other classes are not changed.
 *
 * Truecast's own errors are changed in place, which keeps their class. An error of other code is
 * replaced by a masked copy if it contains a secret.
 */
export function maskValue<TValue>(value: TValue, mask: SecretMask): TValue {
  // Masking keeps the shape: strings stay strings.
  return new Masking(mask).copy(value, 0) as TValue;
}

/** One traversal. An object that occurs twice, or in itself, is copied once. */
class Masking {
  readonly #mask: SecretMask;
  readonly #copies = new Map<object, unknown>();
  #changes = 0;

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#copies.has(value)) return this.#again(value);
    if (depth > MAX_DEPTH) return this.#cut();
    const member = (each: unknown): unknown => this.copy(each, depth + 1);
    if (value instanceof Error) return this.#error(value, member);
    if (value instanceof Map || value instanceof Set) return this.#collection(value, member);
    return isPlain(value) ? this.#members(value, member) : value;
  }

  #cut(): string {
    this.#changes += 1;
    return '[nested too deeply]';
  }

  #text(text: string): string {
    const masked = this.#mask.mask(text);
    if (masked !== text) this.#changes += 1;
    return masked;
  }

  #again(value: object): unknown {
    const known = this.#copies.get(value);
    if (known !== value) this.#changes += 1;
    return known;
  }

  #error(error: Error, member: (value: unknown) => unknown): Error {
    const before = this.#changes;
    const made = maskedError(error, {
      member,
      text: (text) => this.#text(text),
      started: (copy) => this.#copies.set(error, copy),
    });
    const result = this.#changes === before ? error : made;
    this.#copies.set(error, result);
    return result;
  }

  #collection(
    value: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>,
    member: (value: unknown) => unknown,
  ) {
    const made = value instanceof Map ? new Map<unknown, unknown>() : new Set<unknown>();
    this.#copies.set(value, made);
    for (const [key, each] of value.entries()) {
      if (made instanceof Map) made.set(member(key), member(each));
      else made.add(member(each));
    }
    return made;
  }

  #members(value: object, member: (value: unknown) => unknown): object {
    const made: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
    this.#copies.set(value, made);
    for (const [key, each] of Object.entries(value)) {
      // `__proto__` in a parsed JSON text is an ordinary member.
      Object.defineProperty(made, Array.isArray(value) ? key : this.#text(key), {
        value: member(each),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return made;
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
