/** Definitions of the answers of agent runs, by the request and the abilities of the agent. */
import { expect, it } from 'vitest';
import { claudeCode } from 'truecast/internal/agents/claude-code/claude-code';
import { command } from 'truecast/internal/agents/command';
import { toRunOutput, toRunPrompt } from './run-output.ts';

const claude = claudeCode();
const plain = command({ command: 'agent' });
const response_format = {
  type: 'json_schema',
  json_schema: { name: 'answer', schema: { type: 'object' } },
} as const;

it.each([
  ['the mode of the agent', { response_format }, claude, { maxCorrections: 2 }],
  ['a tag without one', { response_format }, plain, { tag: 'result' }],
  ['the tag of the request', { response_format, tag: 't' }, claude, { tag: 't', maxCorrections: 2 }],
  ['the mode of the request', { response_format, mode: 'mcp' }, claude, { mode: 'mcp', maxCorrections: 2 }],
  [
    'corrections in a fresh session',
    { response_format, max_corrections: 1 },
    plain,
    { tag: 'result', maxCorrections: 1, retry: 'fresh' },
  ],
  ['the corrections of the request', { response_format, max_corrections: 0 }, claude, { maxCorrections: 0 }],
] as const)('uses %s', (_title, asked, agent, expected) => {
  const {
    schema: _schema,
    _tag,
    '~output': _type,
    ...terms
  } = { ...toRunOutput(asked, agent) } as Record<string, unknown>;
  expect(terms).toEqual(expected);
  expect(_tag).toBe('object');
});

it('a tag without a format is a text, and neither is no definition', () => {
  expect(toRunOutput({ tag: 't' }, claude)).toMatchObject({ _tag: 'string', tag: 't' });
  expect(toRunOutput({}, claude)).toBeUndefined();
  expect(toRunOutput({ response_format: { type: 'text' } }, claude)).toBeUndefined();
});

it('only a prompt that does not name its tag is completed', () => {
  const named = 'Answer in <result>.';
  expect(toRunPrompt(named, toRunOutput({ response_format }, plain))).toBe(named);
  expect(toRunPrompt('Fix it.', toRunOutput({ response_format }, claude))).toBe('Fix it.');
  expect(toRunPrompt('Fix it.', undefined)).toBe('Fix it.');
  expect(toRunPrompt('Fix it.', toRunOutput({ response_format }, plain))).toMatch(
    /^Fix it\.\n\n[^]*<result>/u,
  );
});
