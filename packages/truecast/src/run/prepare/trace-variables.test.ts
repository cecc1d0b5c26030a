import { expect, it } from 'vitest';
import { traceVariables } from './run-environment.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

it.each([
  [
    { TRACEPARENT, TRACESTATE: 'vendor=1' },
    { TRACEPARENT, TRACESTATE: 'vendor=1' },
  ],
  [{ TRACEPARENT, TRACESTATE: '' }, { TRACEPARENT }],
  [{ TRACEPARENT, TRACESTATE: 'a\nb' }, { TRACEPARENT }],
  [{ TRACEPARENT, TRACESTATE: 'x'.repeat(513) }, { TRACEPARENT }],
  [{ TRACESTATE: 'vendor=1' }, {}],
  [{ TRACEPARENT: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, {}],
  [{ TRACEPARENT: 'anything' }, {}],
])('of the process %j, a run passes on %j', (process, expected) => {
  expect(traceVariables(process, {})).toEqual(expected);
});

it('a declared trace replaces the one of the process, with its state', () => {
  const process = { TRACEPARENT, TRACESTATE: 'vendor=1' };
  expect(traceVariables(process, { TRACEPARENT: 'another' })).toEqual({});
});
