import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../contract/rows.ts';
import { compaction, numbered, row, stepFacts, user, type UnnumberedRow } from '../test-rows.ts';
import { contextState, summaryIndex, type ContextSettings } from './context-state.ts';

/** A step of the model that used so many tokens. Without a number the service did not tell. */
function used(inputTokens?: number, rest: Partial<MessageRow> = {}): UnnumberedRow {
  const { usage: _, ...facts } = stepFacts();
  const none = { outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  const step = inputTokens === undefined ? facts : { ...facts, usage: { inputTokens, ...none } };
  return row('assistant', [{ type: 'text', text: 'a' }], { step, ...rest });
}

function stateOf(rows: readonly UnnumberedRow[], settings: Partial<ContextSettings> = {}): string {
  return contextState(numbered(...rows), {
    contextLimitTokens: 1_000,
    isCompactionRequested: false,
    ...settings,
  });
}

describe('a conversation', () => {
  it.each<[string, string, number, Partial<ContextSettings>]>([
    ['fits', 'below 80 %', 799, {}],
    ['full', 'at 80 %', 800, {}],
    ['full', 'at the threshold of its chat', 500, { compactionThreshold: 0.5 }],
    ['fits', 'with room for the next reply', 699, { maxOutputTokens: 300 }],
    ['full', 'without room for the next reply', 700, { maxOutputTokens: 300 }],
    ['fits', 'below half, however long the reply may be', 499, { maxOutputTokens: 5_000 }],
    ['full', 'at half, if the reply may be as long as the window', 500, { maxOutputTokens: 5_000 }],
  ])('is "%s" %s', (expected, _name, tokens, settings) => {
    expect(stateOf([user('q'), used(tokens)], settings)).toBe(expected);
  });

  it('fits while the size of the window or the usage is not known', () => {
    const { contextLimitTokens: _, ...unknown } = { contextLimitTokens: 0, isCompactionRequested: false };
    expect(contextState(numbered(user('q'), used(9_000)), unknown)).toBe('fits');
    expect(stateOf([user('q'), used()])).toBe('fits');
    expect(stateOf([user('q')])).toBe('fits');
  });

  it('is judged by the last step that tells its usage', () => {
    expect(stateOf([user('q'), used(100), used(900), used()])).toBe('full');
    expect(stateOf([user('q'), used(900), used(100)])).toBe('fits');
  });

  it('is judged without deleted rows, and without those before the summary', () => {
    expect(stateOf([user('q'), used(100), used(900, { isDeleted: true })])).toBe('fits');
    expect(stateOf([user('q'), used(900), ...compaction('q')])).toBe('fits');
  });
});

describe('after a compaction', () => {
  it('a first step that is full says that another compaction cannot help', () => {
    expect(stateOf([...compaction('q'), used(900)])).toBe('full-after-compaction');
  });

  it('a second step can be compacted again', () => {
    expect(stateOf([...compaction('q'), used(100), used(900)])).toBe('full');
  });

  it('a message after the first step starts a new turn, which can be compacted', () => {
    expect(stateOf([...compaction('q'), used(900), user('next')])).toBe('full');
  });
});

it('the summary is the last one that is not deleted', () => {
  const [summary] = compaction();
  const rows = numbered(summary!, user('q'), summary!, { ...summary!, isDeleted: true });
  expect(summaryIndex(rows)).toBe(2);
  expect(summaryIndex(numbered(user('q')))).toBe(-1);
});
