import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { cursor } from './cursor.ts';

const prompted = { prompt: "Fix it's bug.", dangerouslySkipPermissions: true };
const BEGIN = 'agent --print --output-format stream-json';

test('the prompt is the last argument', () => {
  expect(cursor('composer-1').buildPrintCommand(prompted)).toEqual({
    command: `${BEGIN} --model composer-1 --force 'Fix it'\\''s bug.'`,
  });
  expect(cursor().buildPrintCommand({ prompt: '--force', dangerouslySkipPermissions: false })).toEqual({
    command: `${BEGIN} ' --force'`,
  });
  expect(cursor('m').buildInteractiveArgs?.(prompted)).toEqual([
    'agent',
    '--model',
    'm',
    '--force',
    "Fix it's bug.",
  ]);
  expect(cursor().buildInteractiveArgs?.({ ...prompted, prompt: '' })).toEqual(['agent', '--force']);
});

test('a prompt that is longer than an argument may be is refused, with what to do', () => {
  const prompt = 'é'.repeat(60 * 1024 + 1);
  const build = (): unknown => cursor().buildPrintCommand({ ...prompted, prompt });
  expect(build).toThrow(UsageError);
  expect(build).toThrow(/at most 122880 bytes, got 122882: .* name the file in the prompt/u);
});

const DOCUMENTED = [
  { type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/work', session_id: 's1', model: 'M' },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] }, session_id: 's1' },
  {
    type: 'assistant',
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I’ll ' },
        { type: 'image', url: 'x' },
        { type: 'text', text: 'read.' },
      ],
    },
  },
  {
    type: 'tool_call',
    subtype: 'started',
    call_id: 'c1',
    tool_call: { readToolCall: { args: { path: 'README.md' } } },
  },
  {
    type: 'tool_call',
    subtype: 'completed',
    call_id: 'c1',
    tool_call: { readToolCall: { args: { path: 'README.md' }, result: { success: { content: '# Hi' } } } },
  },
  {
    type: 'tool_call',
    subtype: 'started',
    tool_call: { function: { name: 'grep', arguments: '{"pattern":"x"}' } },
  },
  {
    type: 'tool_call',
    subtype: 'completed',
    tool_call: { writeToolCall: { args: { path: 'a' }, result: { error: { message: 'no' } } } },
  },
  { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's1' },
];

const parse = (...lines: readonly object[]) => {
  const parser = cursor().createStreamParser();
  return [...parser.push(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), ...parser.end()];
};

test('the documented lines are read as events', () => {
  expect(parse(...DOCUMENTED)).toEqual([
    { type: 'session', sessionId: 's1' },
    { type: 'text', text: 'I’ll read.' },
    { type: 'tool-call', id: 'c1', name: 'Read', input: { path: 'README.md' } },
    { type: 'tool-result', id: 'c1', output: '{"success":{"content":"# Hi"}}', isError: false },
    { type: 'tool-call', name: 'grep', input: { pattern: 'x' } },
    { type: 'tool-result', output: '{"error":{"message":"no"}}', isError: true },
    { type: 'end', text: 'Done.' },
  ]);
});

test('an error result is not a successful end', () => {
  expect(parse({ type: 'result', subtype: 'success', is_error: true, result: 'no credit' })).toEqual([
    { type: 'error', message: 'no credit' },
  ]);
  expect(parse({ type: 'result', subtype: 'error_during_execution' })).toEqual([
    { type: 'error', message: 'error_during_execution' },
  ]);
});
