import { expect, it } from 'vitest';
import { createClaudeCodeStreamParser } from 'truecast/internal/agents/claude-code/claude-code-stream';
import { findJsonExcess } from './json-bounds.ts';
import { parseJson } from './parse-json.ts';

const keys = (count: number, prefix = 'k'): string =>
  `{${Array.from({ length: count }, (_, index) => `"${prefix}${index}":1`).join(',')}}`;

it.each([
  ['10 MB of opening brackets', '['.repeat(10_000_000), 'deeper than 10000'],
  ['nested objects', '{"a":'.repeat(200_000), 'deeper than 10000'],
  ['110,000 keys', keys(110_000), 'more than 100000 members'],
  [
    '110,000 keys over many objects',
    `[${Array.from({ length: 22 }, (_, n) => keys(5_000, `${n}x`)).join(',')}]`,
    'more than 100000 members',
  ],
])('refuses %s before it is parsed', (_name, text, expected) => {
  expect(findJsonExcess(text)?.reason).toContain(expected);
  expect(parseJson(text)).toMatchObject({
    success: false,
    reason: expect.stringContaining(expected) as string,
  });
});

it.each([
  ['a large text', JSON.stringify({ text: '[{"\\'.repeat(1_000_000) })],
  ['a long array', `[${'1,'.repeat(3_000_000)}1]`],
  [
    'many records',
    JSON.stringify(Array.from({ length: 100_000 }, (_, id) => ({ id, a: [1], b: { c: '"' } }))),
  ],
  ['an object of many members', keys(90_000)],
  ['a deep value', `${'['.repeat(9_000)}"${'x'.repeat(300_000)}"${']'.repeat(9_000)}`],
])('takes %s', (_name, text) => {
  expect(findJsonExcess(text)).toBeUndefined();
  expect(parseJson(text).success).toBe(true);
});

it('skips such a line of an agent with a warning', () => {
  const parser = createClaudeCodeStreamParser();
  const events = parser.push(`{"type":"assistant","x":${'['.repeat(1_000_000)}\n`);
  expect(events).toEqual([
    { type: 'warning', message: expect.stringContaining('deeper than 10000') as string },
  ]);
});
