/** Refused attempts: which messages have them, and what they carry. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { describe, expect, it } from 'vitest';
import { describeRefusal } from '@truecast/core/internal/output/validate/describe-refusal';
import { attemptReader, attemptsOfRequest, type RefusedAttempt } from './refused-attempts.ts';
import type { MessagePart } from './wire/message-parts.ts';
import type { MessageView } from './wire/message.ts';
import type { ReceiptAttempt } from './wire/receipt.ts';
import { ATTEMPT_CODES } from './wire/wire-codes.ts';

const turnRow = (
  id: number,
  role: MessageView['role'],
  content: readonly MessagePart[],
  more: Partial<MessageView> = {},
): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content,
  is_compressed: false,
  created_at: '2026-01-01T00:00:00Z',
  ...more,
});
const INVALID: ReceiptAttempt = { code: 'invalid', issues: [{ path: '/n', rule: 'Expected integer' }] };
const call = (args: string, tool_call_id = 'c', tool_name: string = FINALIZER_NAME): MessagePart => ({
  type: 'tool_call',
  tool_call_id,
  tool_name,
  args,
});
const result = (attempt?: ReceiptAttempt, tool_call_id = 'c'): MessagePart => ({
  type: 'tool_result',
  tool_call_id,
  tool_name: FINALIZER_NAME,
  result: 'A prompt for the model.',
  is_error: true,
  ...(attempt !== undefined && { attempt }),
});
const text = (said: string, attempt: ReceiptAttempt): MessageView =>
  turnRow(4, 'assistant', [{ type: 'text', text: said }], { attempt });

function refusedIn(rows: readonly MessageView[], before?: number): RefusedAttempt<unknown>[] {
  return rows.map(attemptReader(before)).filter((each) => each !== undefined);
}

/** The attempt of one call, with these arguments. */
function refusedCall(args: string, attempt: ReceiptAttempt = INVALID): RefusedAttempt<unknown> | undefined {
  return refusedIn([turnRow(4, 'assistant', [call(args)]), turnRow(5, 'tool', [result(attempt)])])[0];
}

describe('an attempt', () => {
  it('is about the call of its result, and counts the accepted one', () => {
    const others = [call('{"output":{"n":1}}', 'c', 'look'), call('{"output":{"n":2}}', 'b')];
    const content = [...others, call('{"output":{"n":"x"}}')];
    const rows = [
      turnRow(4, 'assistant', content),
      turnRow(5, 'tool', [result(undefined, 'b'), result(INVALID)]),
      turnRow(6, 'assistant', content),
      turnRow(7, 'tool', [result({ code: 'ok' })]),
      text('', { code: 'empty' }),
    ];
    const issues = [{ path: '/n', rule: 'Expected integer', got: '"x"' }];
    expect(refusedIn(rows, 2)).toEqual([
      { number: 3, code: 'invalid', issues, draft: { n: 'x' } },
      { number: 5, code: 'empty', issues: [] },
    ]);
  });

  it('of a copy that a compaction made is not new', () => {
    expect(refusedIn([{ ...text('{}', INVALID), is_compressed: true }])).toEqual([]);
  });

  it.each<[string, ReceiptAttempt['code'], unknown]>([
    ['{"output":"x"}', 'invalid', { output: 'x' }],
    ['{"output":"x"}', 'text_only', { output: 'x' }],
    ['Line 7.', 'text_only', undefined],
    ['{"n":', 'truncated', undefined],
    ['null', 'invalid', null],
  ])('of the text %s with the code `%s` has the value %j', (said, code, draft) => {
    expect(refusedIn([text(said, { code })])[0]?.draft).toEqual(draft);
  });

  it('of a call without an envelope has the whole value', () => {
    expect(refusedCall('{"n":"x"}')).toMatchObject({ draft: { n: 'x' }, issues: [{ got: '"x"' }] });
  });

  it('has no key that could reach a prototype', () => {
    expect(refusedCall('{"output":{"__proto__":{"n":1}}}', { code: 'malformed' })).not.toHaveProperty(
      'draft',
    );
  });

  it('shows at most 80 characters of what came, and nothing where nothing came', () => {
    const issues = ['/a~1b', '/long', '/none', '/toString', ''].map((path) => ({ path, rule: 'R' }));
    const args = JSON.stringify({ output: { 'a/b': 1, long: 'x'.repeat(99) } });
    const got = refusedCall(args, { code: 'invalid', issues })?.issues.map((issue) => issue.got);
    expect(got?.[0]).toBe('1');
    expect(got?.[1]).toBe(`"${'x'.repeat(78)}…`);
    expect(got?.slice(2, 4)).toEqual([undefined, undefined]);
    expect(got?.[4]).toHaveLength(80);
  });
});

it('the attempts of a request end with the next question, and have no wrapper', () => {
  const form = {
    inverse: (value: unknown) => (value as { value: unknown }).value,
    inversePath: (path: string) => path.replace('/value', ''),
  };
  const read = attemptsOfRequest('r', form);
  const attempt: ReceiptAttempt = { code: 'invalid', issues: [{ path: '/value/0', rule: 'R' }] };
  const rows = [
    text('{"value":[1]}', attempt),
    turnRow(1, 'user', [], { request_id: 'other' }),
    text('{"value":[2]}', attempt),
    turnRow(2, 'user', [], { request_id: 'r' }),
    text('{"value":[3]}', attempt),
    turnRow(3, 'user', [], { is_compressed: true }),
    text('{"value":[4]}', attempt),
    turnRow(3, 'user', []),
    text('{"value":[5]}', attempt),
  ];
  const seen = rows.map((message) => read({ type: 'message', message }));
  expect(read({ type: 'preview_reset' })).toBeUndefined();
  expect(seen.filter((each) => each !== undefined)).toEqual([
    { number: 1, code: 'invalid', issues: [{ path: '/0', rule: 'R', got: '3' }], draft: [3] },
    { number: 2, code: 'invalid', issues: [{ path: '/0', rule: 'R', got: '4' }], draft: [4] },
  ]);
});

it.each(ATTEMPT_CODES)('the code %s has words for people', (code) => {
  expect(describeRefusal({ code })).not.toMatch(/_|^(?:ok|invalid|malformed|truncated|refused|empty)$/u);
});
