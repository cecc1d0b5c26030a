import { expect, it } from 'vitest';
import { boundEvents, EVENT_LIMITS } from './run-event.ts';

const AT = '2026-11-23T12:00:00.000Z';
const TEXT = { type: 'text', text: 'ä' } as const;
const COMMIT = { type: 'commit', sha: 'c1' } as const;

it('keeps events with their time, and counts them and their bytes', () => {
  const { kept, size } = boundEvents({ count: 3, bytes: 7 }, [TEXT, COMMIT], AT);
  expect(kept).toEqual([JSON.stringify({ ...TEXT, at: AT }), JSON.stringify({ ...COMMIT, at: AT })]);
  expect(size).toEqual({ count: 5, bytes: 7 + Buffer.byteLength(kept.join('')) });
});

it.each([
  ['number', { count: EVENT_LIMITS.count - 1, bytes: 0 }],
  ['size', { count: 0, bytes: EVENT_LIMITS.bytes - 1 }],
])('says once that the limit of the %s is reached, and then keeps neither text nor calls', (_name, size) => {
  const first = boundEvents(size, [TEXT, TEXT], AT);
  expect(first.kept.map((each) => (JSON.parse(each) as { type: string }).type)).toEqual(['text', 'warning']);
  const call = { type: 'tool_call', name: 'Bash' } as const;
  const { kept } = boundEvents(first.size, [TEXT, call, COMMIT, { type: 'receipt' }], AT);
  expect(kept.map((each) => (JSON.parse(each) as { type: string }).type)).toEqual(['commit', 'receipt']);
});

it.each([
  ['number', { count: 2 * EVENT_LIMITS.count, bytes: 0 }],
  ['size', { count: 0, bytes: 2 * EVENT_LIMITS.bytes }],
])('keeps only events of the server over twice the limit of the %s', (_name, size) => {
  const session = { type: 'session', session_id: 's1' } as const;
  const warning = { type: 'warning', message: 'Again.' } as const;
  const execution = { type: 'execution', number: 2, worker: 'w1' } as const;
  const { kept } = boundEvents(size, [COMMIT, session, warning, execution, { type: 'receipt' }], AT);
  expect(kept.map((each) => (JSON.parse(each) as { type: string }).type)).toEqual(['execution', 'receipt']);
});
