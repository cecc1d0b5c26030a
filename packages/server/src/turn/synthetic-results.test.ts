import { expect, it } from 'vitest';
import { call } from '../test-rows.ts';
import { keepInterrupted, syntheticResult } from './synthetic-results.ts';

it.each(['interrupted', 'canceled', 'deadline', 'unknown'] as const)('reports the reason: %s', (reason) => {
  const made = syntheticResult(call('read'), reason);
  expect(made).toMatchObject({ tool_name: 'read', is_error: true, synthetic: reason });
  expect(made.result).toMatch(/\.$/u);
});

it('keeps the complete parts of a stopped step', () => {
  const parts = [
    { type: 'text', text: 'I wi' } as const,
    call('read', '{"a":1}'),
    call('list', ''),
    call('ask', '{"a":'),
  ];
  expect(keepInterrupted(parts)).toEqual(parts.slice(0, 3));
});
