/** Reads the value of a transcript's last turn only, and only if the server validated it. */
import { expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { MessagePart, ToolResultPart } from './wire/message-parts.ts';
import { extractStructuredOutputValue, type AnsweredMessage } from './extract-structured-output-value.ts';

const ask = (requestId?: string): AnsweredMessage => ({
  role: 'user',
  is_compressed: false,
  content: [
    { type: 'text', text: 'Count.' },
    ...(requestId === undefined
      ? []
      : [
          {
            type: 'response_format' as const,
            request_id: requestId,
            name: 'count',
            schema_text: '{}',
            limits: { text_only: 5, max_repairs: 5 },
          },
        ]),
  ],
});
const result = (value: number, part: Partial<ToolResultPart> = {}): AnsweredMessage => ({
  role: 'tool',
  is_compressed: false,
  content: [
    {
      type: 'tool_result',
      tool_call_id: 'a',
      tool_name: FINALIZER_NAME,
      result: { n: value },
      is_error: false,
      ...part,
    },
  ],
});
const accepted = (value: number): AnsweredMessage => result(value, { result_text: `{"n":${value}}` });
const ended = (request_id: string, status: 'succeeded' | 'failed' | 'canceled'): AnsweredMessage => ({
  role: 'assistant',
  is_compressed: false,
  content: [{ type: 'outcome', request_id, status } satisfies MessagePart],
});

it('returns the value that the server accepted', () => {
  expect(extractStructuredOutputValue([ask('1'), accepted(7), ended('1', 'succeeded')])).toEqual({ n: 7 });
  expect(extractStructuredOutputValue([ask('1'), accepted(7)])).toEqual({ n: 7 });
});

it.each([
  [
    'a later request failed',
    [ask('1'), accepted(1), ended('1', 'succeeded'), ask('2'), ended('2', 'failed')],
  ],
  ['a later turn is ordinary', [ask('1'), accepted(1), ended('1', 'succeeded'), ask()]],
  ['a tool of an ordinary turn has the name', [ask(), accepted(1)]],
  ['the server did not validate the result', [ask('1'), result(1)]],
  ['the result is an error', [ask('1'), result(1, { result_text: '1', is_error: true })]],
  ['the provider ran the call', [ask('1'), result(1, { result_text: '1', provider_executed: true })]],
  ['the request was canceled', [ask('1'), accepted(1), ended('1', 'canceled')]],
  ['the user message is missing', [accepted(1)]],
  ['there are no messages', []],
])('returns undefined if %s', (_case, messages) => {
  expect(extractStructuredOutputValue(messages)).toBeUndefined();
});
