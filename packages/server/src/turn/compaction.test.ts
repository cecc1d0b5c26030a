import { describe, expect, it } from 'vitest';
import {
  accepted,
  asks,
  call,
  calls,
  corrects,
  ended,
  numbered,
  rejected,
  result,
  results,
  says,
  submits,
  user,
  type UnnumberedRow,
  viewOf,
} from '../test-rows.ts';
import { compactionRows } from './compaction.ts';

const texts = (...rows: readonly UnnumberedRow[]): string[] =>
  compactionRows(viewOf(numbered(...rows)), 'S').map(({ parts: [part] }) =>
    part?.type === 'text' || part?.type === 'summary' ? part.text : '',
  );
const read = [calls(call('read')), results(result('read'))] as const;

describe('a compaction', () => {
  it.each<[string, readonly UnnumberedRow[], string[]]>([
    ['of a turn that is over leaves the summary alone', [user('a'), says('b')], ['S']],
    ['keeps a message that is not answered', [user('a'), says('b'), user('c')], ['S', 'c']],
    ['keeps the message of a turn that goes on', [user('a'), says('b'), user('c'), ...read], ['S', 'c']],
    [
      'keeps messages that wait for the same answer',
      [user('a'), says('b'), user('c'), user('d')],
      ['S', 'c', 'd'],
    ],
    ['keeps the first message', [user('a'), ...read], ['S', 'a']],
    [
      'keeps the message of an open request, also after text',
      [asks(), says('7'), corrects()],
      ['S', 'q', 'again'],
    ],
    ['keeps what was wrong with the last answer', [asks(), submits, rejected()], ['S', 'q', 'wrong']],
    ['of a request that is over leaves the summary alone', [asks(), submits, accepted, ended()], ['S']],
    ['does so before its outcome too', [asks(), submits, accepted], ['S']],
    ['of an empty chat is the summary', [], ['S']],
  ])('%s', (_name, rows, expected) => {
    expect(texts(...rows)).toEqual(expected);
  });

  it('leaves the request and its counts unchanged', () => {
    const rows = numbered(asks(), says('7'), corrects(), submits, rejected());
    const after = [
      ...rows,
      ...compactionRows(viewOf(rows), 'S').map((one, index) => ({
        ...one,
        id: 100 + index,
        chatId: 'c',
        isDeleted: false,
      })),
    ];
    expect(JSON.stringify(viewOf(after).activeRequest)).toBe(JSON.stringify(viewOf(rows).activeRequest));
  });

  it('keeps the last of the waiting messages if it must be short', () => {
    const view = viewOf(numbered(user('a'), user('b'), user('c')));
    expect(JSON.stringify(compactionRows(view, 'S'))).toContain('"b"');
    const made = compactionRows(view, 'S', { isShortest: true });
    expect(made.map(({ parts }) => parts)).toEqual([
      [{ type: 'summary', text: 'S' }],
      [{ type: 'text', text: 'c' }],
    ]);
  });

  it('keeps files, as the user sent them', () => {
    const file = { type: 'file', media_type: 'text/plain', data: 'YQ==' } as const;
    const made = compactionRows(viewOf(numbered({ ...user('a'), parts: [file] })), 'S');
    expect(made[1]).toMatchObject({ role: 'user', parts: [file] });
  });

  it('tells nothing of an error of another tool', () => {
    const failed = results(result('read', 'No such file.', { is_error: true }));
    expect(texts(asks(), calls(call('read')), failed)).toEqual(['S', 'q']);
  });

  it('copies no format, and is seen by the model alone', () => {
    const made = compactionRows(viewOf(numbered(asks())), 'S');
    expect(JSON.stringify(made)).not.toContain('response_format');
    expect(made.every(({ visibility, isCompressed }) => visibility === 'model' && isCompressed)).toBe(true);
  });
});
