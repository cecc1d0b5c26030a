import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import {
  accepted,
  asks,
  call,
  calls,
  compaction,
  corrects,
  ended,
  formatPart,
  numbered,
  rejected,
  result,
  results,
  row,
  says,
  stepFacts,
  submits,
  user,
  type UnnumberedRow,
  viewOf,
} from '../test-rows.ts';

const typeOf = (...rows: readonly UnnumberedRow[]): string => viewOf(numbered(...rows)).activeRequest.type;

describe('no request', () => {
  it.each([
    ['an empty chat', []],
    ['a message without a format', [user('hello')]],
    ['a message after one that was answered', [asks(), submits, accepted, ended(), user('thanks')]],
    ['a message after one that was not', [asks(), says('no'), corrects(), user('never mind')]],
    ['a chat whose only request was cut off by an edit', [asks({}, { isDeleted: true }), user('instead')]],
  ])('is in %s', (_name, rows) => {
    expect(typeOf(...rows)).toBe('none');
  });
});

describe('the request', () => {
  it('belongs to the latest user message', () => {
    expect(
      viewOf(numbered(asks(), submits, accepted, ended(), asks({ request_id: 'r2' }))).activeRequest,
    ).toMatchObject({
      type: 'open',
      request: { requestId: 'r2', messageId: 5, steps: 0, rejections: 0 },
    });
  });

  it('survives a compaction', () => {
    const rows = [asks(), calls(call('read')), results(result('read')), ...compaction('q')];
    expect(viewOf(numbered(...rows)).activeRequest).toMatchObject({ type: 'open', request: { steps: 1 } });
  });

  it('is not restored by the copy of its message in a compaction', () => {
    const copy = row('user', [{ type: 'text', text: 'q' }, formatPart()], {
      visibility: 'model',
      isCompressed: true,
      requestId: 'r1',
    });
    expect(typeOf(user('hello'), copy)).toBe('none');
    expect(typeOf(asks(), submits, accepted, ended(), copy)).toBe('closed');
  });

  it('is not moved by the user-visible messages of a compaction', () => {
    const marker = row('user', [{ type: 'text', text: 'summarized' }], { isCompressed: true });
    expect(typeOf(asks(), marker)).toBe('open');
  });

  it('counts nothing twice after a compaction copies it', () => {
    const copy = { ...corrects('invalid'), isCompressed: true };
    expect(viewOf(numbered(asks(), says('x'), corrects('invalid'), copy)).activeRequest).toMatchObject({
      request: { rejections: 1, attempts: [{ code: 'invalid' }] },
    });
  });

  it('is replaced by the request of an edit', () => {
    const rows = [
      asks({}, { isDeleted: true }),
      { ...says('no'), isDeleted: true },
      asks({ request_id: 'r2' }),
    ];
    expect(viewOf(numbered(...rows)).activeRequest).toMatchObject({
      type: 'open',
      request: { requestId: 'r2', steps: 0 },
    });
  });

  it('is closed once it has an outcome', () => {
    expect(typeOf(asks(), submits, accepted, ended())).toBe('closed');
    expect(typeOf(asks(), says('no'), ended(), ...compaction())).toBe('closed');
    expect(typeOf(asks({ schema_text: '{' }), ended())).toBe('closed');
  });

  it('is not closed by the outcome of another', () => {
    expect(typeOf(asks(), ended('r0'))).toBe('open');
  });

  it('counts the attempts', () => {
    const rows = [
      asks(),
      says('let me think'),
      corrects(),
      calls(call('read')),
      results(result('read')),
      submits,
      rejected('invalid'),
      calls(call(FINALIZER_NAME), call('read')),
      rejected('not_alone'),
      says('{}'),
      corrects('invalid'),
      says('here you are'),
      corrects(),
      says(''),
    ];
    expect(viewOf(numbered(...rows)).activeRequest).toMatchObject({
      request: {
        steps: 7,
        textOnlyStreak: 2,
        rejections: 3,
        attempts: [
          { code: 'text_only' },
          { code: 'invalid' },
          { code: 'not_alone' },
          { code: 'invalid' },
          { code: 'text_only' },
          { code: 'empty' },
        ],
        lastStep: 'empty',
      },
    });
  });

  it('does not treat the late result of a search as an empty answer', () => {
    const late = result('search', 'found', { provider_executed: true });
    const rows = [asks(), row('assistant', [late], { step: stepFacts('stop') })];
    expect(viewOf(numbered(...rows)).activeRequest).toMatchObject({
      request: { attempts: [], lastStep: 'whole' },
    });
  });

  it('resets the count of texts after any tool call, including a failed finalizer', () => {
    const streak = (...rows: readonly UnnumberedRow[]): unknown => {
      const active = viewOf(numbered(asks(), ...rows)).activeRequest;
      return active.type === 'open' ? active.request.textOnlyStreak : active.type;
    };
    const text = [says('t'), corrects()] as const;
    expect(streak(...text, ...text)).toBe(2);
    expect(streak(...text, ...text, submits, rejected())).toBe(0);
    expect(streak(...text, calls(call('read')), results(result('read')), ...text)).toBe(1);
    expect(streak(...text, calls(call('search', '{}', { provider_executed: true })), ...text)).toBe(1);
    const searched = [
      call('search', '{}', { provider_executed: true }),
      { type: 'text', text: 't' },
    ] as const;
    expect(streak(...text, row('assistant', searched), corrects(), ...text)).toBe(3);
    expect(streak(...text, ...compaction('q'), ...text)).toBe(2);
  });
});

describe('an answer', () => {
  it('is the result of a lone finalizer without an error', () => {
    expect(viewOf(numbered(asks(), submits, accepted)).activeRequest).toMatchObject({
      type: 'accepted',
      answer: { value: { n: 1 }, valueText: '{"n":1}', isExact: true },
    });
  });

  it.each([
    ['an error result', [submits, rejected()]],
    [
      'an error result that holds a text',
      [submits, results(result(FINALIZER_NAME, 'x', { is_error: true, result_text: '{"n":1}' }))],
    ],
    ['the answer of an earlier turn', [submits, accepted, asks()]],
    ['a result without a call', [says('x'), accepted]],
    [
      'a result of a tool that another name was called by',
      [calls(call('read', '{}', { tool_call_id: `call-${FINALIZER_NAME}` })), accepted],
    ],
    ['a result beside another call', [calls(call(FINALIZER_NAME), call('read')), accepted]],
    ['a result that the server did not make', [submits, results(result(FINALIZER_NAME, { n: 1 }))]],
  ])('is not %s', (_name, rows) => {
    expect(typeOf(asks(), ...rows)).toBe('open');
  });
});

describe('a request is broken, and never an ordinary turn', () => {
  it.each([
    ['when its schema does not compile', [asks({ schema_text: '{"type":"object","pattern":"("}' })]],
    ['when its schema is no JSON', [asks({ schema_text: '{' })]],
    ['when it has two formats', [row('user', [formatPart(), formatPart()], { requestId: 'r1' })]],
    ['when the message has no format', [user('q', { requestId: 'r1' })]],
    ['when the message belongs to no request', [row('user', [formatPart()])]],
    ['when the message belongs to another', [row('user', [formatPart()], { requestId: 'r2' })]],
    ['when a step follows the answer', [asks(), submits, accepted, says('more')]],
    ['when there are two answers', [asks(), submits, accepted, submits, accepted]],
  ])('%s', (_name, rows) => {
    expect(typeOf(...rows)).toBe('broken');
  });
});
