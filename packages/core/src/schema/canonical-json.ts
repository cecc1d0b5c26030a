/**
 * Canonical JSON: the single text of equal JSON values (RFC 8785, the JSON Canonicalization
 * Scheme). Pure.
 */
import { describeValue } from '../kit/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import { WorkBudget } from './work/work-budget.ts';

/** An object or array whose members are being written. */
interface Frame {
  readonly container: object;
  /** Sorted names of an object. `undefined` for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * Containers that were started, and whether they are still open. Shared objects are written
 * repeatedly.
 */
interface Begun {
  readonly isOpen: Map<object, boolean>;
  readonly repeats: WorkBudget;
}

/** Maximum of members and text that are written more than once. Only shared objects are. */
const MAX_REPEATED = 200_000;

/**
 * Serializes `value` as canonical JSON: no white space, object keys in the order of their UTF-16
 * code units, numbers as in ECMAScript.
 *
 * Equal values give equal texts, so the text can be hashed, signed or compared. Any depth works,
 * because nothing recurses. Only JSON values are accepted: dropping a part silently would give
 * different values the same text. Source: https://www.rfc-editor.org/rfc/rfc8785
 *
 * @throws SchemaError `too-much-work` for a few objects that share each other and would be endless
 *   text
 * @throws UsageError `invalid-option` for `undefined`, `NaN`, an infinity, a lone surrogate, a
 *   cycle, a function, a symbol, a bigint, and an object that is not plain
 * @example
 * ```ts
 * canonicalJson({ b: 1.0, a: ['x'] }); // {"a":["x"],"b":1}
 * ```
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  const stack: Frame[] = [];
  const begun: Begun = {
    isOpen: new Map(),
    repeats: new WorkBudget({
      maxWork: MAX_REPEATED,
      work: 'Serializing a value with shared objects',
      advice: 'Pass what `JSON.parse` could have returned.',
    }),
  };
  begin(value, parts, stack, begun);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.length) {
      parts.push(frame.keys === undefined ? ']' : '}');
      begun.isOpen.set(frame.container, false);
      stack.pop();
      continue;
    }
    if (frame.next > 0) parts.push(',');
    const key = frame.keys?.[frame.next] ?? frame.next;
    if (typeof key === 'string') parts.push(writeString(key), ':');
    frame.next += 1;
    begin(Reflect.get(frame.container, key), parts, stack, begun);
  }
  return parts.join('');
}

function begin(value: unknown, parts: string[], stack: Frame[], { isOpen, repeats }: Begun): void {
  if (typeof value !== 'object' || value === null) {
    parts.push(writeScalar(value));
    return;
  }
  const state = isOpen.get(value);
  if (state === true) throw refuse('a value without cycles', 'one with a cycle');
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) throw refuse('a plain object', describeValue(value));
  // The default order of `sort` is that of UTF-16 code units, as the RFC requires.
  const keys = isArray ? undefined : Object.keys(value).toSorted();
  isOpen.set(value, true);
  if (state === false) repeats.spend(repeatedUnits(value));
  parts.push(isArray ? '[' : '{');
  stack.push({ container: value, keys, length: isArray ? value.length : (keys?.length ?? 0), next: 0 });
}

/** Counts the members of a shared container, and their text. */
function repeatedUnits(container: object): number {
  return Object.entries(container).reduce(
    (units, [key, member]) =>
      units + 1 + ((key.length + (typeof member === 'string' ? member.length : 0)) >> 4),
    1,
  );
}

function writeScalar(value: unknown): string {
  if (typeof value === 'string') return writeString(value);
  if (value === null || typeof value === 'boolean') return String(value);
  // `JSON.stringify` writes -0 as 0 too, and NaN as null, so only finite numbers reach it.
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  throw refuse('a JSON value', describeValue(value));
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw refuse('well-formed Unicode', `a lone surrogate in ${describeValue(text)}`);
  return JSON.stringify(text);
}

/**
 * A plain object is one that `JSON.parse` creates, in any realm: without a prototype, or with one
 * that has no prototype itself.
 */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(expected: string, got: string): UsageError {
  return new UsageError(
    `Expected ${expected} for canonical JSON, got ${got}. Pass what \`JSON.parse\` could have returned.`,
  );
}
