/** Values that no caller with types passes, and that a caller without types does. */

/** The error of a getter or a trap of the caller: it belongs to the caller, and can reach the caller. */
export class CallersError extends Error {}

function fail(): never {
  throw new CallersError('a getter of the caller');
}

/** A proxy that fails whatever is asked of it. */
function hostileProxy(): object {
  const traps = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'set'] as const;
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, fail])));
}

/** An object whose members with these names fail when they are read. */
function failingGetters(names: readonly string[]): object {
  const object = {};
  for (const name of names) Object.defineProperty(object, name, { get: fail, enumerable: true });
  return object;
}

/** Values by name. They are made anew for each call. */
export function hostileValues(names: readonly string[] = ['name']): Readonly<Record<string, () => unknown>> {
  return {
    undefined: () => undefined,
    null: () => null,
    one: () => 1,
    minus: () => -1,
    NaN: () => Number.NaN,
    bigint: () => 1n,
    true: () => true,
    'empty text': () => '',
    text: () => 'text',
    'long text': () => 'x'.repeat(100_000),
    'NUL text': () => 'a\0b',
    symbol: () => Symbol('s'),
    function: () => () => undefined,
    'empty object': () => ({}),
    'empty array': () => [],
    'array of null': () => [null],
    'object without a prototype': () => Object.create(null) as object,
    'failing getters': () => failingGetters(names),
    proxy: hostileProxy,
    date: () => new Date(0),
  };
}
