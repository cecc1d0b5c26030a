import type { RowPart } from './rows.ts';
import { expect, it } from 'vitest';
import { inputPartSchema } from './message-bodies.ts';
import { toZod } from './to-zod.ts';
import { messagePart } from '@truecast/client/internal/wire/message-parts';

const PARTS = [
  { type: 'text', text: 'hello' },
  { type: 'reasoning', text: 'hm', provider_metadata: { anthropic: { signature: 'x' } } },
  { type: 'tool_call', tool_call_id: 'a', tool_name: 'read', args: '{"path":' },
  {
    type: 'tool_result',
    tool_call_id: 'a',
    tool_name: 'read',
    result: { any: [1, null] },
    is_error: false,
    result_text: '{"any":[1,null]}',
    synthetic: 'unknown',
  },
  { type: 'source', source_id: 's', url: 'https://example.invalid' },
  { type: 'file', media_type: 'image/png', data: 'AAAA' },
  {
    type: 'response_format',
    request_id: 'r',
    name: 'n',
    schema_text: '{"type":"object"}',
    limits: { text_only: 5, max_repairs: 5 },
  },
  { type: 'corrective', request_id: 'r', text: 'again', attempt: { code: 'invalid' } },
  { type: 'summary', text: 'before' },
  { type: 'outcome', request_id: 'r', status: 'failed', error: { code: 'interrupted', message: 'm' } },
] satisfies RowPart[];

it.each(PARTS)('round-trips: $type', (part) => {
  expect(toZod(messagePart).parse(JSON.parse(JSON.stringify(part)))).toEqual(part);
});

it.each(PARTS)('refuses an unknown key: $type', (part) => {
  expect(toZod(messagePart).safeParse({ ...part, extra: 1 }).success).toBe(false);
});

it('accepts text and files from a client, and no server parts', () => {
  const taken = PARTS.filter((part) => inputPartSchema.safeParse(part).success);
  expect(taken.map(({ type }) => type)).toEqual(['text', 'file']);
});

it('reads a result of any depth, and rejects a missing one', () => {
  const depth = 20_000;
  const result: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const part = { type: 'tool_result', tool_call_id: 'a', tool_name: 'b', is_error: false };
  expect(toZod(messagePart).safeParse({ ...part, result }).success).toBe(true);
  expect(toZod(messagePart).safeParse(part).success).toBe(false);
});
