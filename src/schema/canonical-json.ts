/** Owns the one text that equal JSON values share: RFC 8785, the JSON Canonicalization Scheme. Pure. */
import { describeValue } from '../errors/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';

/** An object or array whose members are being written. */
interface Frame {
  readonly container: object;
  /** Sorted names of an object; `undefined` for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * Writes `value` as canonical JSON: no white space, object keys in the order of their UTF-16 code units, numbers as ECMAScript writes them.
 *
 * Equal values give equal texts, so that the text can be hashed, signed or compared. Any depth is fine: nothing here recurses.
 * Only what JSON can hold is taken, since dropping a part silently would give different values the same text.
 * Source: https://www.rfc-editor.org/rfc/rfc8785
 *
 * @throws UsageError `invalid-option` for `undefined`, `NaN`, an infinity, a lone surrogate, a cycle, a function, a symbol, a bigint, and an object that is not plain
 * @example
 * ```ts
 * canonicalJson({ b: 1.0, a: ['x'] }); // {"a":["x"],"b":1}
 * ```
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  const stack: Frame[] = [];
  const open = new Set<object>();
  begin(value, parts, stack, open);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.length) {
      parts.push(frame.keys === undefined ? ']' : '}');
      open.delete(frame.container);
      stack.pop();
      continue;
    }
    if (frame.next > 0) parts.push(',');
    const key = frame.keys?.[frame.next] ?? frame.next;
    if (typeof key === 'string') parts.push(writeString(key), ':');
    frame.next += 1;
    begin(Reflect.get(frame.container, key), parts, stack, open);
  }
  return parts.join('');
}

function begin(value: unknown, parts: string[], stack: Frame[], open: Set<object>): void {
  if (typeof value !== 'object' || value === null) {
    parts.push(writeScalar(value));
    return;
  }
  if (open.has(value)) throw refuse('a value without cycles', 'one that holds itself');
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) throw refuse('a plain object', describeValue(value));
  // The default order of `sort` is that of UTF-16 code units, which is what the scheme asks for.
  const keys = isArray ? undefined : Object.keys(value).toSorted();
  open.add(value);
  parts.push(isArray ? '[' : '{');
  stack.push({ container: value, keys, length: isArray ? value.length : (keys?.length ?? 0), next: 0 });
}

function writeScalar(value: unknown): string {
  if (typeof value === 'string') return writeString(value);
  if (value === null || typeof value === 'boolean') return String(value);
  // `JSON.stringify` would write -0 as 0 too, and NaN as null: only finite numbers may reach it.
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  throw refuse('a value that JSON can hold', describeValue(value));
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw refuse('well-formed Unicode', `a lone surrogate in ${describeValue(text)}`);
  return JSON.stringify(text);
}

/** Plain here is what `JSON.parse` makes, also in another realm: no prototype, or one that has none itself. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(expected: string, got: string): UsageError {
  return new UsageError(
    `Expected ${expected} for canonical JSON, got ${got}. Pass what \`JSON.parse\` could have returned.`,
  );
}
