/** Tests of the place of an issue, of a wrapped schema, and of an empty reply. */
import { describe, expect, it } from 'vitest';
import type { MessageView } from '@truecast/client';
import { isEmptyReply } from '../../web/src/chat/transcript/turns.ts';
import { wrappedInObject } from '../../web/src/schema/wrapped-in-object.ts';
import { describeAttempt } from '../../web/src/value/describe-attempt.ts';
import { placedIssue } from '../../web/src/value/placed-issue.ts';

describe('placedIssue', () => {
  it.each([
    ['', 'Missing required property `why`', '/why', 'Is missing'],
    ['/parties/1', 'Missing required property `a/b~c`', '/parties/1/a~1b~0c', 'Is missing'],
    ['', 'Missing required property `b`, which `a` requires', '/b', 'Is missing, which `a` requires'],
    ['/line', 'Expected integer', '/line', 'Expected integer'],
  ])('places %j %s at %s', (path, rule, place, text) => {
    expect(placedIssue(path, rule)).toMatchObject({ path: place, rule: text });
  });

  it('says what is missing, and not the object that lacks it', () => {
    const issues = [{ path: '', rule: 'Missing required property `why`' }];
    expect(describeAttempt({ code: 'invalid', issues }, { file: 'a' })).toBe('/why is missing');
  });
});

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
