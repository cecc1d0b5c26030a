import { expect, it } from 'vitest';
import { readTraceHeaders } from './traceparent.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const longMember = `long=${'x'.repeat(200)}`;
const members = Array.from({ length: 7 }, (_, number) => `k${number}=${'v'.repeat(97)}`);

it.each([
  ['one member', 'rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
  ['members of tenants, with spaces and empty members', 'a@b=1 ,, c/d=x y ,', 'a@b=1,c/d=x y'],
  ['32 members', numbered(32).join(), numbered(32).join()],
  [
    '512 characters',
    'a='.padEnd(254, 'v') + ',b='.padEnd(258, 'w'),
    'a='.padEnd(254, 'v') + ',b='.padEnd(258, 'w'),
  ],
  [
    'more than 512 characters: long members go first',
    [longMember, ...members.slice(0, 5)].join(),
    members.slice(0, 5).join(),
  ],
  ['more than 512 characters: the last members go next', members.join(), members.slice(0, 5).join()],
  ['33 members', numbered(33).join(), undefined],
  ['a key twice', 'a=1,a=2', undefined],
  ['a member without a value', 'a=1,b', undefined],
  ['an empty value', 'a=', undefined],
  ['a key in capitals', 'A=1', undefined],
  ['an equals sign in a value', 'a=b=c', undefined],
  ['only spaces', ' , ', undefined],
])('keeps or drops a state with %s', (_title, tracestate, kept) => {
  const expected = kept === undefined ? { traceparent } : { traceparent, tracestate: kept };
  expect(readTraceHeaders(new Headers({ traceparent, tracestate }))).toEqual(expected);
});

it('reads no state without a valid trace', () => {
  expect(readTraceHeaders(new Headers({ tracestate: 'a=1' }))).toEqual({});
  expect(readTraceHeaders(new Headers({ traceparent: '00-0-0-00', tracestate: 'a=1' }))).toEqual({});
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `k${number}=v`);
}
