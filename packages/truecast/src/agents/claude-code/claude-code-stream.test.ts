import { expect, test } from 'vitest';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import { createClaudeCodeStreamParser } from './claude-code-stream.ts';

function read(...lines: readonly unknown[]): readonly AgentEvent[] {
  const parser = createClaudeCodeStreamParser();
  return [...lines.flatMap((line) => parser.push(`${JSON.stringify(line)}\n`)), ...parser.end()];
}

const assistant = (content: readonly unknown[], more: object = {}): object => ({
  type: 'assistant',
  message: { content },
  parent_tool_use_id: null,
  ...more,
});
const text = (value: string): object => ({ type: 'text', text: value });
const delta = (value: string, more: object = {}): object => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text: value } },
  parent_tool_use_id: null,
  ...more,
});

test('the type can be anywhere in a line, also with spaces around it', () => {
  const parser = createClaudeCodeStreamParser();
  expect(
    parser.push('  { "is_error" : false, "subtype" : "success", "result" : "x", "type" : "result" }\n'),
  ).toEqual([{ type: 'end', text: 'x' }]);
});

test('a partially streamed block is completed, not repeated', () => {
  expect(read(delta('Hel'), assistant([text('Hello')]))).toEqual([text('Hel'), text('lo')]);
});

test('a block that differs from its deltas is emitted whole', () => {
  expect(read(delta('Hel'), assistant([text('Bye')]))).toEqual([text('Hel'), text('Bye')]);
});

test('the deltas of a message that was begun anew do not shorten the next one', () => {
  const start = { type: 'stream_event', event: { type: 'message_start' }, parent_tool_use_id: null };
  expect(read(delta('Hel'), start, assistant([text('Hello')]))).toEqual([text('Hel'), text('Hello')]);
});

test("a sub-agent's text and deltas are not part of the answer", () => {
  const parent = { parent_tool_use_id: 'toolu_1' };
  expect(read(delta('x', parent), assistant([text('x')], parent), assistant([text('y')]))).toEqual([
    text('y'),
  ]);
});

test('words that the CLI puts for a failed request are a warning', () => {
  expect(read(assistant([text('API Error: 500')], { is_api_error_message: true }))).toEqual([
    { type: 'warning', message: 'API Error: 500' },
  ]);
});

test.each([
  [
    { subtype: 'error_max_turns', is_error: false },
    { type: 'error', message: 'error_max_turns' },
  ],
  [
    { subtype: 'success', is_error: true, result: 'no' },
    { type: 'error', message: 'no' },
  ],
  [
    { subtype: 'success', is_error: false, result: 'no', api_error_status: 529 },
    { type: 'error', message: 'no', statusCode: 529 },
  ],
])('the result %j is an error', (line, expected) => {
  expect(read({ type: 'result', ...line })).toEqual([expected]);
});

test('a false structured output is a value, an absent one is not', () => {
  expect(read({ type: 'result', subtype: 'success', structured_output: false })).toEqual([
    { type: 'end', value: false, valueText: 'false' },
  ]);
  expect(read({ type: 'result', subtype: 'success' })).toEqual([{ type: 'end' }]);
});

test('blocks of tool results are joined as text', () => {
  const content = [{ type: 'tool_result', tool_use_id: 't', content: [text('a'), { type: 'image' }, 1] }];
  expect(read({ type: 'user', message: { content } })).toEqual([
    { type: 'tool-result', id: 't', output: 'a\n[image]\n1', isError: false },
  ]);
});

test('the results of one process add up; a total that began before it does not count', () => {
  const since = (inputTokens: number): object => ({
    model_usage_since_last_result: { m: { inputTokens, outputTokens: 1, costUSD: 0.5 } },
    total_cost_usd: 99,
  });
  const result = { type: 'result', subtype: 'success' };
  const usage = read({ ...result, ...since(10) }, { ...result, ...since(5) }).filter(
    (event) => event.type === 'usage',
  );
  expect(usage.at(-1)?.usage).toEqual({
    inputTokens: 15,
    outputTokens: 2,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
    costUsd: 1,
  });
});

test('an answer that the final event lacks is taken from the call that submitted it', () => {
  const submit = (input: unknown, more: object = {}): object =>
    assistant([{ type: 'tool_use', id: 't1', name: 'StructuredOutput', input }], more);
  const result = { type: 'result', subtype: 'success', is_error: false, result: '' };
  const endOf = (...lines: readonly unknown[]): unknown => read(...lines).at(-1);
  expect(endOf(submit({ n: 1 }), submit({ n: 2 }), result)).toEqual({
    type: 'end',
    text: '',
    value: { n: 2 },
    isFromCall: true,
  });
  expect(endOf(submit({ n: 1 }), { ...result, structured_output: { n: 3 } })).toMatchObject({
    value: { n: 3 },
    valueText: '{"n":3}',
  });
  expect(endOf(submit({ n: 1 }, { parent_tool_use_id: 'toolu_1' }), result)).toEqual({
    type: 'end',
    text: '',
  });
  const rejected = {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'No.', is_error: true }] },
    parent_tool_use_id: null,
  };
  expect(endOf(submit({ n: 'x' }), rejected, result)).toEqual({ type: 'end', text: '' });
});
