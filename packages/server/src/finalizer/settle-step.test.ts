import type { RowPart } from '../contract/rows.ts';
import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ActiveRequest, OpenRequest } from '../format/active-request.ts';
import { asks, call, numbered, row, stepFacts, viewOf } from '../test-rows.ts';
import {
  answerCall,
  attemptWithoutCall,
  settleStep,
  type ModelStep,
  type SettledStep,
} from './settle-step.ts';

function openRequest(): OpenRequest {
  const active = viewOf(numbered(asks())).activeRequest;
  if (active.type !== 'open') throw new TypeError('not open');
  return active.request;
}

function settle(parts: readonly RowPart[], rest: Partial<ModelStep> = {}): SettledStep {
  return settleStep({ parts, finishReason: 'tool_calls', mode: 'tool', ...rest }, openRequest());
}

/** The result of reading the rows with the settled step. */
function activeAfter({ assistant, results, corrective }: SettledStep): ActiveRequest {
  const rows = [asks(), row('assistant', assistant, { step: stepFacts() }), row('tool', results)];
  const told = corrective === undefined ? [] : [row('user', [corrective], { visibility: 'model' as const })];
  return viewOf(numbered(...rows, ...told)).activeRequest;
}

const text = (said: string): RowPart => ({ type: 'text', text: said });
const valid = call(FINALIZER_NAME, '{"output":{"n": 7}}');

describe('an answer that is accepted and alone', () => {
  it('is the result of its call, next to any text', () => {
    const settled = settle([text('done'), valid]);
    expect(settled).toMatchObject({
      assistant: [text('done'), valid],
      results: [
        {
          result: { n: 7 },
          is_error: false,
          result_text: '{"n":7}',
          attempt: { code: 'ok', mode: 'tool' },
        },
      ],
      corrective: undefined,
    });
    expect(activeAfter(settled)).toMatchObject({
      type: 'accepted',
      answer: { valueText: '{"n":7}', isExact: true },
    });
  });

  it('reports numbers that might be rounded', () => {
    const rounded = settle([{ ...valid, numbers_exact: false }]);
    expect(activeAfter(rounded)).toMatchObject({ answer: { isExact: false } });
  });

  it('can be text from a schema mode, and is stored as a call of the server', () => {
    const settled = settle([text('{"n":'), text(' 7}')], { mode: 'native', finishReason: 'stop' });
    expect(settled.assistant).toMatchObject([
      { type: 'tool_call', tool_name: FINALIZER_NAME, args: '{"output":{"n":7}}' },
    ]);
    expect(activeAfter(settled)).toMatchObject({ type: 'accepted', answer: { value: { n: 7 } } });
  });
});

describe('an answer that is not valid', () => {
  it('is answered with the corrections, and keeps its arguments for the model', () => {
    const wrong = call(FINALIZER_NAME, '{"output":{"n":"x"}}');
    const settled = settle([wrong]);
    expect(settled.assistant).toEqual([wrong]);
    expect(settled.results).toMatchObject([
      {
        is_error: true,
        synthetic: 'rejected',
        result: expect.stringContaining('- /n: Expected integer'),
        attempt: { code: 'invalid', issues: [{ path: '/n' }] },
      },
    ]);
    expect(activeAfter(settled)).toMatchObject({
      type: 'open',
      request: { rejections: 1, textOnlyStreak: 0 },
    });
  });

  it.each([
    ['{"output":{"n":1,"n":2}}', '/n'],
    [String.raw`{"output":{"n":"\ud800"}}`, '/n'],
    ['{"output":{"n":1e400}}', '/n'],
    [`{"output":{"n":${'['.repeat(64)}${']'.repeat(64)}}}`, `/n${'/0'.repeat(63)}`],
    ['{"output":{"n":1', ''],
  ])('is stored as it was written, with the path of its problem: %s', (args, path) => {
    const settled = settle([call(FINALIZER_NAME, args)]);
    expect(settled.assistant).toEqual([call(FINALIZER_NAME, args)]);
    expect(settled.results).toMatchObject([{ attempt: { code: 'malformed', issues: [{ path }] } }]);
    expect(activeAfter(settled)).toMatchObject({ request: { rejections: 1 } });
  });

  it('is stored with escapes of what is no character, and without its end if it is too large', () => {
    const half = settle([call(FINALIZER_NAME, '{"output":{"n":"\ud800\0"}}')]);
    expect(half.assistant).toEqual([call(FINALIZER_NAME, String.raw`{"output":{"n":"\ud800\u0000"}}`)]);
    const [large] = settle([call(FINALIZER_NAME, `{"output":"${'x'.repeat(300_000)}"}`)]).assistant;
    expect(large).toMatchObject({ args: `{"output":"${'x'.repeat(32_757)}…` });
  });

  it('is one that the model refused: nothing of its step runs', () => {
    const settled = settle([text('No.'), valid, call('read')], { finishReason: 'content_filter' });
    expect(settled).toMatchObject({
      assistant: [text('No.')],
      results: [],
      corrective: { attempt: { code: 'refused' } },
    });
  });

  it.each(['length', 'error', 'other'] as const)('is one that was cut off: %s', (finishReason) => {
    const settled = settle([call(FINALIZER_NAME, '{"output":{"n": 7')], { finishReason });
    expect(settled.assistant).toEqual([call(FINALIZER_NAME, '{"output":{"n": 7')]);
    expect(settled.results).toMatchObject([{ is_error: true, attempt: { code: 'truncated' } }]);
  });

  it('is answered with a message if a schema mode returned it as text', () => {
    const settled = settle([text('{"n":"x"}')], { mode: 'native', finishReason: 'stop' });
    expect(settled.corrective).toMatchObject({ attempt: { code: 'invalid', mode: 'native' } });
    expect(settled.corrective?.text).not.toContain(FINALIZER_NAME);
    expect(activeAfter(settled)).toMatchObject({ request: { rejections: 1, textOnlyStreak: 0 } });
  });
});

describe('an answer that arrived otherwise', () => {
  const nOf = (settled: SettledStep): unknown => [
    activeAfter(settled).type,
    settled.results[0]?.result,
    settled.results[0]?.attempt?.repairs,
  ];

  it.each<[string, readonly RowPart[], readonly string[]]>([
    ['as text', [text('{"n": 7}')], ['answer_in_text']],
    ['in a fence', [text('```json\n{"n": 7}\n```')], ['answer_in_text']],
    ['as reasoning', [{ type: 'reasoning', text: '{"n": 7}' }], ['answer_in_reasoning']],
    ['without its envelope', [call(FINALIZER_NAME, '{"n": 7}')], ['missing_envelope']],
    ['encoded twice', [call(FINALIZER_NAME, JSON.stringify('{"output":{"n":7}}'))], ['parsed_string']],
    [
      'in a fence of the arguments',
      [call(FINALIZER_NAME, '```\n{"output":{"n":7}}\n```')],
      ['unwrapped_fence'],
    ],
  ])('is accepted %s, with a label', (_, parts, repairs) => {
    for (const mode of ['tool', 'tool_auto'] as const) {
      expect(nOf(settle(parts, { mode, finishReason: 'stop' }))).toEqual(['accepted', { n: 7 }, repairs]);
    }
  });

  it('is stored as JSON', () => {
    const { assistant } = settle([call(FINALIZER_NAME, '```\n{"output":{"n":7}}\n```')]);
    expect(assistant).toMatchObject([{ args: '{"output":{"n":7}}' }]);
    expect(settle([text('{"n": 7}')], { finishReason: 'stop' }).assistant).toMatchObject([
      { type: 'tool_call', tool_name: FINALIZER_NAME, args: '{"output":{"n":7}}' },
    ]);
  });

  it.each(['length', 'error', 'other'] as const)(
    'is whole although the output then ended: %s',
    (finishReason) => {
      expect(nOf(settle([valid], { finishReason }))).toEqual(['accepted', { n: 7 }, undefined]);
      const white = [text(`{"n":7}${'\n  '.repeat(40)}`)];
      expect(nOf(settle(white, { finishReason }))).toEqual(['accepted', { n: 7 }, ['answer_in_text']]);
      expect(nOf(settle(white, { finishReason, mode: 'native' }))).toEqual(['accepted', { n: 7 }, undefined]);
    },
  );

  it('as text of another shape is text, and the issues are told', () => {
    const settled = settle([text('{"n":"x"}')], { finishReason: 'stop' });
    expect(settled.corrective).toMatchObject({
      attempt: { code: 'text_only', issues: [{ path: '/n' }] },
      text: expect.stringMatching(
        /not answered by text[^]*- \/n: Expected integer[^]*submit_structured_output/u,
      ),
    });
    expect(activeAfter(settled)).toMatchObject({ request: { rejections: 0, textOnlyStreak: 1 } });
  });

  it('after a search of the provider is text', () => {
    const search = call('web_search', '{}', { provider_executed: true });
    expect(settle([search, text('{"n":7}')], { finishReason: 'stop' }).corrective).toMatchObject({
      attempt: { code: 'text_only' },
    });
  });
});

describe('an answer beside any other call', () => {
  it.each([
    ['a tool of ours', [valid, call('read')]],
    ['a tool that comes first', [call('read'), valid]],
    ['a second answer', [valid, { ...valid, tool_call_id: 'second' }]],
  ])('runs nothing, and each call gets an instruction: %s', (_name, parts) => {
    const settled = settle(parts);
    expect(settled.results.map(({ tool_call_id }) => tool_call_id)).toEqual(
      parts.map(({ tool_call_id }) => tool_call_id),
    );
    expect(settled.results.every(({ is_error }) => is_error)).toBe(true);
    expect(settled.results.filter(({ attempt }) => attempt !== undefined)).toHaveLength(1);
    expect(activeAfter(settled)).toMatchObject({ type: 'open', request: { rejections: 1 } });
    for (const { result } of settled.results) expect(result).toMatch(/alone|only call/u);
  });

  it('is refused next to a provider-executed call, which gets no result from the server', () => {
    const search = call('web_search', '{}', { provider_executed: true });
    const settled = settle([search, valid]);
    expect(settled.results.map(({ tool_name }) => tool_name)).toEqual([FINALIZER_NAME]);
    expect(activeAfter(settled)).toMatchObject({ type: 'open', request: { rejections: 1 } });
  });
});

describe('a step without an answer', () => {
  it('with only text gets an instruction to answer', () => {
    const settled = settle([text('It is 7.')], { finishReason: 'stop' });
    expect(settled).toMatchObject({
      assistant: [text('It is 7.')],
      results: [],
      corrective: { attempt: { code: 'text_only' }, text: expect.stringContaining(FINALIZER_NAME) },
    });
    expect(activeAfter(settled)).toMatchObject({ request: { rejections: 0, textOnlyStreak: 1 } });
  });

  it.each([
    ['calls others', [call('read')]],
    ['says nothing', []],
    ['only thinks', [{ type: 'reasoning', text: 'hm' } as const]],
  ])('that %s stays unchanged', (_name, parts) => {
    expect(settle(parts)).toEqual({ assistant: parts, results: [], corrective: undefined });
  });
});

it('answers a call that was committed without a result', () => {
  expect(answerCall(valid, openRequest(), 'tool_auto').result).toMatchObject({
    result: { n: 7 },
    attempt: { mode: 'tool_auto' },
  });
  expect(answerCall(call(FINALIZER_NAME), openRequest(), 'tool_auto').result).toMatchObject({
    is_error: true,
  });
});

describe('a reply that ran away', () => {
  const runaway = { finishReason: 'runaway', mode: 'native' } as const;

  it('is no answer, and none of its calls runs', () => {
    const settled = settle([text('{"n": 7, "m": "'), call('weather', '{}')], runaway);
    expect(settled).toMatchObject({
      assistant: [text('{"n": 7, "m": "')],
      results: [],
      corrective: { attempt: { code: 'runaway', mode: 'native' } },
    });
    expect(activeAfter(settled)).toMatchObject({
      type: 'open',
      request: { rejections: 1, lastStep: 'whole' },
    });
  });

  it('is an attempt too if nothing of it is left', () => {
    const settled = settle([], { ...runaway, mode: 'tool' });
    expect(settled).toMatchObject({ assistant: [], corrective: { attempt: { code: 'runaway' } } });
    expect(activeAfter(settled)).toMatchObject({
      type: 'open',
      request: { rejections: 1, lastStep: 'whole' },
    });
  });

  it('is accepted if its answer was complete before', () => {
    const settled = settle([text(`{"n": 7}${'\n'.repeat(257)}`)], runaway);
    expect(activeAfter(settled)).toMatchObject({ type: 'accepted', answer: { value: { n: 7 } } });
  });
});

it('a step without a call says why it is not the answer, for clients', () => {
  expect(attemptWithoutCall(settle([text('done')], { finishReason: 'stop' }))).toMatchObject({
    code: 'text_only',
    mode: 'tool',
  });
  const wrong = settle([text('{"n":"x"}')], { mode: 'native', finishReason: 'stop' });
  expect(attemptWithoutCall(wrong)).toMatchObject({ code: 'invalid', issues: [{ path: '/n' }] });
  expect(attemptWithoutCall(settle([], { finishReason: 'stop' }))).toEqual({ code: 'empty' });
  for (const parts of [[valid], [call(FINALIZER_NAME, '{'), valid], [call('look', '{}')]]) {
    expect(attemptWithoutCall(settle(parts))).toBeUndefined();
  }
});
