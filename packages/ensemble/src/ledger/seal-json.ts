/** Deep-frozen JSON copies for the ledger. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { PROTOTYPE_KEYS } from '@truecast/core/internal/event-contract/event-options';

/** Maximum depth. It protects every reader from stack overflows. */
const MAX_DEPTH = 32;
/** Maximum characters of all strings and keys. Every later prompt and view reads an event. */
const MAX_CHARS = 1_000_000;

/** Characters that the value can still have. */
interface Room {
  chars: number;
}

/**
 * Returns a deep-frozen copy of `value` without `undefined` members.
 *
 * @throws LedgerError `invalid-event` for values outside JSON, prototype keys, more than 32 levels,
 *   or more than a million characters
 */
export function sealJson<TValue>(value: TValue): TValue {
  try {
    return seal(value, '', { depth: 0, room: { chars: MAX_CHARS } }) as TValue; // The same JSON, frozen.
  } catch (error) {
    if (LedgerError.isInstance(error)) throw error;
    throw new LedgerError(
      'Expected the event to hold plain JSON, got an object with a getter that throws. Put plain JSON into events.',
      { code: 'invalid-event', cause: error },
    );
  }
}

interface Place {
  readonly depth: number;
  readonly room: Room;
}

function seal(value: unknown, path: string, { depth, room }: Place): unknown {
  if (typeof value === 'string') take(room, value, path);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  // The database would return -0 as 0.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (!isContainer(value)) return refuse(path, 'a JSON value', value);
  if (depth === MAX_DEPTH) refuse(path, `at most ${MAX_DEPTH} levels`, 'more');
  const inner = { depth: depth + 1, room };
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item, index) => seal(item, `${path}.${index}`, inner)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, 'a plain object', value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [key] of entries) {
    if (PROTOTYPE_KEYS.has(key)) refuse(path, 'no key that reaches a prototype', key);
    take(room, key, path);
  }
  return Object.freeze(
    Object.fromEntries(entries.map(([key, member]) => [key, seal(member, `${path}.${key}`, inner)])),
  );
}

function take(room: Room, text: string, path: string): void {
  room.chars -= text.length;
  if (room.chars < 0) refuse(path, `at most ${MAX_CHARS} characters`, 'more');
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function refuse(path: string, expected: string, got: unknown): never {
  throw new LedgerError(
    `Expected the event${path === '' ? '' : ` at \`${path.slice(1)}\``} to hold ${expected}, got ${describeValue(got)}. Put plain JSON into events.`,
    { code: 'invalid-event' },
  );
}
