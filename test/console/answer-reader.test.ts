/** Answer of a live run as its page reads it from the events of the run. */
import { describe, expect, it } from 'vitest';
import { AnswerReader } from '../../web/src/runs/model/answer-reader.ts';

const at = '2026-01-01T00:00:00.000Z';
type Events = Parameters<AnswerReader['read']>[0];
const text = (...pieces: readonly string[]): Events =>
  pieces.map((piece) => ({ type: 'text', text: piece, at }));
const attempt = (name: string, rest: Partial<Events[number]> = {}): Events[number] => ({
  type: 'attempt',
  name,
  text: 'Why.',
  at,
  ...rest,
});

describe('the draft', () => {
  it('is the value in the last tag so far, with the fields that have begun', () => {
    const reader = new AnswerReader('result');
    expect(reader.read(text('Between <result> and </result>. <res')).draft).toBeUndefined();
    expect(reader.read(text('ult>{"line":1', '2,"why":"It ')).draft).toEqual({ line: 12, why: 'It ' });
    const whole = reader.read(text('ends."}</result>'));
    expect(whole.draft).toEqual({ line: 12, why: 'It ends.' });
    expect(reader.read(text('Done.'))).toBe(whole);
    expect(reader.read(text('<result>{"line":13}</result>')).draft).toEqual({ line: 13 });
  });

  it('begins again in each turn, and after a worker was lost', () => {
    const reader = new AnswerReader('result');
    for (const type of ['iteration', 'start', 'attempt']) {
      expect(reader.read(text('<result>{"line":1')).draft).toEqual({});
      expect(reader.read([{ type, at }]).draft).toBeUndefined();
      expect(reader.read(text('2}</result>')).draft).toBeUndefined();
    }
  });

  it('is absent without a tag', () => {
    expect(new AnswerReader(undefined).read(text('<result>{"line":1}</result>')).draft).toBeUndefined();
  });

  it('is copied as often as an answer grows by an eighth, of 10,000 events', () => {
    const reader = new AnswerReader('result', () => 0);
    reader.read(text('<result>{"lines":["'));
    let [last, copied]: [unknown, number] = [undefined, 0];
    for (let count = 0; count < 10_000; count += 1) {
      const { draft } = reader.read(text('x'.repeat(40)));
      if (draft !== last) copied += JSON.stringify(draft).length;
      last = draft;
    }
    expect(copied).toBeLessThan(10 * 400_000);
    // A pause shows the rest.
    const { draft } = reader.read([{ type: 'tool_call', at }]);
    expect(JSON.stringify(draft).length).toBeGreaterThan(400_000);
  });
});

describe('an attempt', () => {
  it('has its value and its rules, without the value that a rule ends with', () => {
    const reader = new AnswerReader('result');
    const issues = [
      { path: '/line', rule: 'Expected integer, got "12"' },
      { path: '', rule: 'Missing required property `why`' },
    ];
    const { attempts, draft } = reader.read([
      ...text('<result>{"line":"12"}</result>'),
      attempt('schema-mismatch', { issues }),
    ]);
    expect(draft).toBeUndefined();
    expect(attempts).toEqual([
      {
        attempt: {
          code: 'schema-mismatch',
          issues: [{ path: '/line', rule: 'Expected integer' }, issues[1]],
        },
        value: { line: '12' },
        at,
      },
    ]);
    expect(reader.read([...text('<result>{"line":12'), ...text('}</result>'), attempt('ok')])).toEqual({
      draft: undefined,
      attempts: [...attempts, { attempt: { code: 'ok' }, value: { line: 12 }, at }],
    });
  });

  it('says why there is no value', () => {
    const refused = { code: 'tag_not_found', issues: [{ path: '', rule: 'Why.' }] };
    expect(new AnswerReader('result').read([attempt('tag_not_found')]).attempts).toEqual([
      { attempt: refused, at },
    ]);
  });
});
