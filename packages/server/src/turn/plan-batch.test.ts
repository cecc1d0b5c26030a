import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { call, calls, numbered } from '../test-rows.ts';
import { planBatch } from './plan-batch.ts';

const tool = (name: string, facts: Partial<ToolFacts> = {}): [string, ToolFacts] => [
  name,
  { name, kind: 'local', isExclusive: false, isStopAfter: false, readOnlyHint: false, ...facts },
];
const TOOLS = new Map([
  tool('read'),
  tool('submit', { isExclusive: true }),
  tool('other_submit', { isExclusive: true }),
  tool('ask_user', { kind: 'dynamic' }),
]);
const [READ, SUBMIT, ASK, UNKNOWN] = ['read', 'submit', 'ask_user', 'unknown'].map((name) => call(name)) as [
  ReturnType<typeof call>,
  ReturnType<typeof call>,
  ReturnType<typeof call>,
  ReturnType<typeof call>,
];

/** The batch of a step with these calls, all of them unanswered. */
function plan(...parts: readonly ReturnType<typeof call>[]): ReturnType<typeof planBatch> {
  const [step] = numbered(calls(...parts)) as [MessageRow];
  const open = parts.filter(({ provider_executed }) => provider_executed !== true);
  return planBatch(step, open, TOOLS);
}

describe('a batch', () => {
  it('runs calls of the server here, and leaves those of the client to it', () => {
    expect(plan(READ, ASK, UNKNOWN)).toEqual({ calls: [READ, UNKNOWN], refused: [], dynamic: [ASK] });
  });

  it('runs an exclusive call that is alone', () => {
    expect(plan(SUBMIT)).toEqual({ calls: [SUBMIT], refused: [], dynamic: [] });
  });

  it('runs nothing beside an exclusive call, and tells each call why', () => {
    const { calls: run, refused, dynamic } = plan(READ, SUBMIT, UNKNOWN);
    expect([run, dynamic]).toEqual([[], []]);
    expect(refused.map(({ tool_name, is_error, synthetic }) => [tool_name, is_error, synthetic])).toEqual([
      ['read', true, 'not_run'],
      ['submit', true, 'not_run'],
      ['unknown', true, 'not_run'],
    ]);
    const [ofRead, ofSubmit, ofUnknown] = refused.map(({ result }) => result);
    expect(ofRead).toBe(ofUnknown);
    expect(ofRead).toContain('submit');
    expect(ofSubmit).not.toBe(ofRead);
  });

  it('runs no exclusive call beside one that the provider has executed', () => {
    const { calls: run, refused } = plan(call('web_search', '{}', { provider_executed: true }), SUBMIT);
    expect(run).toEqual([]);
    expect(refused.map(({ tool_name }) => tool_name)).toEqual(['submit']);
  });

  it('is not bound by an exclusive name that the provider has executed', () => {
    const executed = call('submit', '{}', { provider_executed: true });
    expect(plan(executed, READ)).toEqual({ calls: [READ], refused: [], dynamic: [] });
  });
});
