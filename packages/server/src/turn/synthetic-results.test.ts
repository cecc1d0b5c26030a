import { expect, it } from 'vitest';
import { call, calls, numbered, result, results, user } from '../test-rows.ts';
import { keepInterrupted, syntheticResults } from './synthetic-results.ts';

it('answers the calls that have no result, and none that the provider runs', () => {
  const rows = numbered(
    user('a'),
    calls(call('read'), call('web', '{}', { provider_executed: true }), call('list'), call('ask')),
    results(result('list')),
  );
  expect(syntheticResults(rows, 'interrupted').map(({ tool_name }) => tool_name)).toEqual(['read', 'ask']);
  expect(syntheticResults(rows, 'deadline')).toMatchObject([{ is_error: true, synthetic: 'deadline' }, {}]);
  expect(syntheticResults(numbered(user('a')), 'canceled')).toEqual([]);
});

it.each(['interrupted', 'canceled', 'deadline', 'unknown'] as const)('reports the reason: %s', (reason) => {
  const [made] = syntheticResults(numbered(user('a'), calls(call('read'))), reason);
  expect(made?.result).toMatch(/\.$/u);
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
