/** Tests of refused texts, of a wrapped schema, and of an empty reply. */
import { describe, expect, it } from 'vitest';
import type { MessageView } from '@truecast/client';
import { spansOf } from '../../web/src/chat/transcript/turn-spans.ts';
import { isEmptyReply } from '../../web/src/chat/transcript/turns.ts';
import { wrappedInObject } from '../../web/src/schema/wrapped-in-object.ts';
import { describeAttempt } from '../../web/src/value/describe-attempt.ts';
import { attemptsOf, valueOfSubmission } from '../../web/src/value/value-state.ts';

describe('wrappedInObject', () => {
  it('makes a list the only member of an object, and keeps definitions at the root', () => {
    const schema = { type: 'array', items: { $ref: '#/$defs/Item' }, $defs: { Item: { type: 'string' } } };
    expect(JSON.parse(wrappedInObject(JSON.stringify(schema)) ?? '')).toEqual({
      type: 'object',
      properties: { items: { type: 'array', items: { $ref: '#/$defs/Item' } } },
      required: ['items'],
      additionalProperties: false,
      $defs: { Item: { type: 'string' } },
    });
  });

  it.each(['{"type":"object"}', '{"properties":{}}', '{}', '[', 'true'])('leaves %s as it is', (text) => {
    expect(wrappedInObject(text)).toBeUndefined();
  });
});

describe('isEmptyReply', () => {
  const step = (content: MessageView['content'], finish_reason?: 'interrupted'): MessageView => ({
    id: 2,
    chat_id: 'chat',
    is_compressed: false,
    role: 'assistant',
    content,
    created_at: '2026-11-28T12:00:00Z',
    ...(finish_reason !== undefined && { finish_reason }),
  });

  it.each([
    ['a reply without text', [step([])], true],
    ['white space', [step([{ type: 'text', text: ' \n' }])], true],
    ['a text', [step([{ type: 'text', text: 'Yes.' }])], false],
    ['a stopped reply', [step([], 'interrupted')], false],
    ['no reply yet', [], false],
  ])('of %s is %#', (_title, steps, expected) => {
    expect(isEmptyReply({ steps })).toBe(expected);
  });
});

describe('a text that is refused', () => {
  const at = (second: number): string => new Date(second * 1_000).toISOString();
  const row = (
    id: number,
    role: MessageView['role'],
    text: string,
    more: Partial<MessageView> = {},
  ): MessageView => ({
    id,
    chat_id: 'chat',
    role,
    content: [{ type: 'text', text }],
    is_compressed: false,
    created_at: at(id * 10),
    ...more,
  });
  const issues = [{ path: '/output', rule: 'Expected integer' }];
  const steps = [
    row(2, 'assistant', '{"output":"twelve"}', { attempt: { code: 'invalid', issues } }),
    // Soon after the other one, as no call of a tool is.
    row(3, 'assistant', 'It is 12.', { attempt: { code: 'text_only' }, created_at: at(20.01) }),
    row(4, 'assistant', '{"output":12}'),
  ];

  it('is an attempt with its value, whose member can have the name of the envelope', () => {
    const attempts = attemptsOf(steps);
    expect(attempts.map(({ value }) => value)).toEqual([{ output: 'twelve' }, undefined]);
    expect(attempts.map(({ attempt, value }) => describeAttempt(attempt, value))).toEqual([
      '/output expected integer, got "twelve"',
      'text instead of an answer',
    ]);
    expect(steps.map((step) => valueOfSubmission(step))).toEqual([
      { output: 'twelve' },
      undefined,
      { output: 12 },
    ]);
  });

  it('has a bar of the timeline each', () => {
    const spans = spansOf({ user: row(1, 'user', 'Which?'), steps });
    expect(spans.map(({ label, messageId }) => [messageId, label])).toEqual([
      [2, 'attempt 1 refused'],
      [3, 'attempt 2 refused'],
      [4, 'model'],
    ]);
  });
});
