import { assert, constantFrom, integer, property, array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../../test/any-text.ts';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { createModelUsageReader, type ModelUsage } from './model-usage.ts';

const EVENTS = 'text/event-stream; charset=utf-8';

interface Sample {
  readonly wire: string;
  readonly contentType: string;
  readonly body: string;
  readonly expected: ModelUsage;
}

const usage = (
  inputTokens: number,
  outputTokens: number,
  cacheReadInputTokens = 0,
  cacheCreationInputTokens = 0,
): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadInputTokens,
  cacheCreationInputTokens,
});

const events = (...data: readonly unknown[]): string =>
  data
    .map((each) => `event: x\ndata: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
    .join('');

/** Text in an answer that looks like its usage. */
const DECOY = '{"usage":{"input_tokens":999},"usageMetadata":{"promptTokenCount":999}} ü "} ]\\';

const SAMPLES: readonly Sample[] = [
  {
    wire: 'Anthropic Messages',
    contentType: 'application/json',
    body: JSON.stringify({
      type: 'message',
      model: 'claude-x',
      content: [{ type: 'text', text: DECOY, usage: { input_tokens: 999 } }],
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 4,
        output_tokens: 5,
        service_tier: 'standard',
      },
    }),
    expected: { isFinal: true, model: 'claude-x', usage: usage(10, 5, 4, 3) },
  },
  {
    wire: 'Anthropic Messages, streaming',
    contentType: EVENTS,
    body: events(
      {
        type: 'message_start',
        message: {
          id: 'm',
          model: 'claude-x',
          content: [],
          usage: {
            input_tokens: 10,
            cache_creation_input_tokens: 3,
            cache_read_input_tokens: 4,
            output_tokens: 1,
          },
        },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: DECOY } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 25 } },
      { type: 'message_stop' },
    ),
    expected: { isFinal: true, model: 'claude-x', usage: usage(10, 25, 4, 3) },
  },
  {
    wire: 'OpenAI Responses',
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({
      object: 'response',
      model: 'gpt-x',
      output: [{ content: [{ text: DECOY }] }],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 20 },
        total_tokens: 130,
      },
    }),
    expected: { isFinal: true, model: 'gpt-x', usage: usage(40, 30, 60) },
  },
  {
    wire: 'OpenAI Responses, streaming',
    contentType: EVENTS,
    body: events(
      { type: 'response.created', response: { model: 'gpt-x', usage: null } },
      { type: 'response.output_text.delta', delta: DECOY },
      {
        type: 'response.completed',
        response: {
          model: 'gpt-x',
          output: [{ content: [{ text: DECOY.repeat(500) }] }],
          usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 30 },
        },
      },
    ),
    expected: { isFinal: true, model: 'gpt-x', usage: usage(40, 30, 60) },
  },
  {
    wire: 'OpenAI Chat Completions',
    contentType: 'application/json',
    body: JSON.stringify({
      model: 'gpt-x',
      choices: [{ message: { content: DECOY } }],
      usage: { prompt_tokens: 100, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 60 } },
    }),
    expected: { model: 'gpt-x', usage: usage(40, 30, 60) },
  },
  {
    wire: 'OpenAI Chat Completions, streaming',
    contentType: EVENTS,
    body: events(
      { model: 'gpt-x', choices: [{ delta: { content: DECOY } }], usage: null },
      { model: 'gpt-x', choices: [], usage: { prompt_tokens: 100, completion_tokens: 30 } },
      '[DONE]',
    ),
    expected: { model: 'gpt-x', usage: usage(100, 30) },
  },
  {
    wire: 'Gemini',
    contentType: 'application/json; charset=UTF-8',
    body: JSON.stringify({
      candidates: [{ content: { parts: [{ text: DECOY }] } }],
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 10,
        cachedContentTokenCount: 60,
        totalTokenCount: 130,
      },
      modelVersion: 'gemini-x',
    }),
    expected: { model: 'gemini-x', usage: usage(40, 30, 60) },
  },
  {
    wire: 'Gemini, streaming',
    contentType: EVENTS,
    body: events(
      { usageMetadata: { promptTokenCount: 100 }, modelVersion: 'gemini-x' },
      { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 30 }, modelVersion: 'gemini-x' },
    ).replaceAll('\n', '\r\n'),
    expected: { model: 'gemini-x', usage: usage(100, 30) },
  },
  {
    wire: 'Gemini, streaming as an array',
    contentType: 'application/json',
    body: JSON.stringify(
      [
        { usageMetadata: { promptTokenCount: 100 }, modelVersion: 'gemini-x' },
        { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 30 } },
      ],
      null,
      2,
    ),
    expected: { model: 'gemini-x', usage: usage(100, 30) },
  },
];

function readAll(contentType: string | undefined, chunks: readonly Uint8Array[]): ModelUsage {
  const reader = createModelUsageReader(contentType);
  for (const chunk of chunks) reader.push(chunk);
  return reader.read();
}

describe('what an answer used', () => {
  it.each(SAMPLES)('is read from $wire', ({ contentType, body, expected }) => {
    expect(readAll(contentType, [Buffer.from(body)])).toEqual(expected);
  });

  it.each(SAMPLES)('is the same wherever $wire was cut', ({ contentType, body, expected }) => {
    assert(
      property(array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const bytes = Buffer.from(body);
        const chunks: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(readAll(contentType, chunks)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('is read from data of several lines, and lines that end in a carriage return cut from its line feed', () => {
    const pieces = ['data: {"usage":\r', '\ndata: {"input_tokens":7}}\r', '\n\r\n'];
    expect(
      readAll(
        EVENTS,
        pieces.map((piece) => Buffer.from(piece)),
      ),
    ).toEqual({ usage: usage(7, 0) });
  });

  it('is the usage reported so far if the response was cut off', () => {
    const body = SAMPLES[1]?.body ?? '';
    const cut = body.slice(0, body.indexOf('content_block_delta'));
    expect(readAll(EVENTS, [Buffer.from(cut)])).toEqual({ model: 'claude-x', usage: usage(10, 1, 4, 3) });
  });

  it.each([
    ['{"usage":{"input_tokens":-1e308,"output_tokens":5}}'],
    ['{"usage":{"input_tokens":5,"output_tokens":1e308}}'],
    ['{"usage":{"prompt_tokens":5,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-7}}}'],
    ['{"usageMetadata":{"promptTokenCount":1e999,"candidatesTokenCount":5}}'],
  ])('is not known from %s, so that the request is charged its maximum', (body) => {
    expect(readAll('application/json', [Buffer.from(body)])).toEqual({});
  });

  it('is read beside null and counts of another type', () => {
    const body =
      '{"usage":{"input_tokens":5,"output_tokens":6,"cache_read_input_tokens":null,"input_tokens_details":null}}';
    expect(readAll('application/json', [Buffer.from(body)])).toEqual({ isFinal: true, usage: usage(5, 6) });
  });

  it('is undefined if the response reports none, or an invalid value', () => {
    for (const body of [
      '',
      '{}',
      '{"usage":null}',
      '{"usage":"many"}',
      '{"usage":{"input_tokens":"7"}}',
      '{"usage":{"input_tokens":-7}}',
      `{"usage":{"input_tokens":1,"x":"${'y'.repeat(10_000)}"}}`,
      '['.repeat(100_000),
      '{"input_tokens":12}',
    ]) {
      expect(readAll('application/json', [Buffer.from(body)])).toEqual({});
    }
  });

  it('never throws', () => {
    const piece = constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      'usage',
      '"usage":',
      '{"input_tokens":1}',
      'data:',
      '\n',
      '\r\n',
      ' ',
      '1',
      'null',
      '\u0000',
    );
    assert(
      property(array(piece, { maxLength: 60 }), anyText(), (pieces, noise) => {
        for (const contentType of [EVENTS, 'application/json', undefined]) {
          readAll(contentType, [Buffer.from(pieces.join('')), Buffer.from(noise)]);
        }
      }),
    );
  });
});
