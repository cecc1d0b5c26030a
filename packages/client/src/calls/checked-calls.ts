/** Checked calls: methods that refuse arguments of another kind before anything is sent. Pure. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';

/** The kind of the first argument, by method. That of the others is an object of options. */
const FIRST = {
  edit: 'an id',
  deleteQueued: 'an id',
  promoteQueued: 'an id',
  request: 'a string',
  patchChat: 'a string',
  deleteChat: 'a string',
  submitToolResults: 'an array',
  send: 'an object',
  ask: 'an object',
  create: 'an object',
  redeliver: 'a string',
  artifact: 'a string',
  continue: 'an object',
  patch: 'an object',
  run: 'an object',
  get: 'a string',
  validateFormat: 'an object',
} as const satisfies Readonly<Record<string, 'a string' | 'an id' | 'an array' | 'an object'>>;

type Method = (...values: never[]) => unknown;

/** Methods that return at once. The others reject. */
const IMMEDIATE: ReadonlySet<string> = new Set(['chat', 'events', 'get']);

export function checkedCalls<TCalls extends object>(calls: TCalls): TCalls {
  const checked = Object.entries(calls).map(([name, call]: [string, Method]) => [
    name,
    (...values: never[]) => {
      try {
        assertArguments(name, values);
      } catch (error) {
        if (IMMEDIATE.has(name)) throw error;
        return Promise.reject(error);
      }
      return call(...values);
    },
  ]);
  // The same methods by the same names.
  return Object.fromEntries(checked) as TCalls;
}

function assertArguments(name: string, values: readonly unknown[]): void {
  const [first, ...rest] = values;
  const kind = Object.hasOwn(FIRST, name) ? FIRST[name as keyof typeof FIRST] : undefined;
  if (kind !== undefined) assertFirst(first, kind, name);
  for (const value of kind === undefined ? values : rest) {
    if (value !== undefined) {
      assertKind(value, 'an object', `options of ${name}()`, 'Pass options, or leave them out.');
    }
  }
}

function assertFirst(value: unknown, kind: (typeof FIRST)[keyof typeof FIRST], name: string): void {
  const next = name === 'ask' ? 'Write `ask({ prompt, output })`.' : 'See its documentation.';
  assertKind(value, kind, `argument of ${name}()`, next);
}
