/** Lines for the events of an agent run. */
import { expect, it } from 'vitest';
import { createEventLines } from './event-lines.ts';

const at = '2026-01-01T00:00:00.000Z';

it('joins text to whole lines, and ends an open line before another event', () => {
  const toLines = createEventLines();
  const textOf = (text: string): readonly string[] =>
    toLines({ type: 'text', text, at }).map((line) => line.text);
  expect(textOf('I look')).toEqual([]);
  expect(textOf(' at it.\nThen\nI')).toEqual(['I look at it.', 'Then']);
  expect(toLines({ type: 'tool_call', name: 'Bash', title: 'npm test', at }).map(({ text }) => text)).toEqual(
    ['I', 'Bash npm test'],
  );
  expect(toLines({ type: 'commit', sha: '0123456789abcdef', at })).toMatchObject([
    { text: 'commit 012345678' },
  ]);
});

it('shows a refused attempt, and no accepted one', () => {
  const toLines = createEventLines();
  const attempt = (code: string) =>
    toLines({ type: 'attempt', number: 1, attempt: { code, message: 'No tag.' }, at });
  expect(attempt('ok')).toEqual([]);
  expect(attempt('tag_not_found')).toEqual([{ text: 'attempt 1: No tag.', meaning: 'warning' }]);
});
