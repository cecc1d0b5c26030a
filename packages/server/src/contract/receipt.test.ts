import { expect, it } from 'vitest';
import { toZod } from './to-zod.ts';
import { receipt } from '@truecast/client/internal/wire/receipt';
import type { Receipt } from '@truecast/client/internal/wire/receipt';

it('round-trips', () => {
  const made: Receipt = {
    request_id: 'r',
    status: 'succeeded',
    value: { n: 1 },
    value_text: '{"n":1}',
    value_hash: 'aa',
    numbers_exact: true,
    schema_hash: 'bb',
    mode: 'tool',
    attempts: [{ code: 'invalid', issues: [{ path: '/n', rule: 'type' }] }, { code: 'ok' }],
    model: 'scripted',
    usage: {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    duration_ms: 12,
  };
  expect(toZod(receipt).parse(JSON.parse(JSON.stringify(made)))).toEqual(made);
});

it('refuses an unknown code', () => {
  const made = { request_id: 'r', status: 'failed', schema_hash: 'b', attempts: [] };
  const error = { message: 'm', code: 'structured_output_not_produced', reason: 'text_only' };
  expect(toZod(receipt).safeParse({ ...made, error }).success).toBe(true);
  expect(toZod(receipt).safeParse({ ...made, error: { ...error, code: 'unknown' } }).success).toBe(false);
  expect(toZod(receipt).safeParse({ ...made, error: { ...error, reason: 'unknown' } }).success).toBe(false);
});
