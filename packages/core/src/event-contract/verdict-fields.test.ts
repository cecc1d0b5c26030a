import { describe, expect, it } from 'vitest';
import { eventSchema } from './event-schema.ts';
import { parseAgentOutput } from './parse-agent-output.ts';

const CONTRACT = { allowedKinds: ['judge.verdict'], fallbackKind: 'judge.verdict' } as const;

function read(verdict: object): unknown {
  const raw = JSON.stringify({ kind: 'judge.verdict', text: 'Done.', ...verdict });
  const { payload, repairs, violations } = parseAgentOutput(raw, {
    ...CONTRACT,
    extraFields: ['winner', 'scores'],
  });
  const { winner, scores } = payload;
  return { winner, scores, repairs, violations };
}

describe('a winner', () => {
  it.each<[string, unknown, unknown]>([
    ['a name', 'ana', 'ana'],
    ['null', null, null],
    ['an empty text, which is null', ' ', null],
  ])('is read unchanged: %s', (_name, winner, expected) => {
    expect(read({ winner })).toMatchObject({ winner: expected, repairs: [], violations: [] });
  });

  it('is opened from a list with one name', () => {
    expect(read({ winner: ['ana'] })).toMatchObject({
      winner: 'ana',
      repairs: [{ kind: 'opened-wrapper', path: ['winner'] }],
      violations: [],
    });
  });

  it.each<[string, unknown, string]>([
    ['two names', ['ana', 'bo'], '`[…]` (array)'],
    ['no name', [], '`[]` (array)'],
    ['an empty name in a list', [' '], '`[…]` (array)'],
    ['a number', 3, '`3` (number)'],
    ['an object', { name: 'ana' }, '`{…}` (object)'],
    ['true', true, '`true` (boolean)'],
  ])('is refused, and is null: %s', (_name, winner, got) => {
    expect(read({ winner })).toMatchObject({
      winner: null,
      repairs: [],
      violations: [{ code: 'wrong-type', field: 'winner', got }],
    });
  });

  it('of a list of players is one of them, also in a list', () => {
    const schema = eventSchema({ ...CONTRACT, extraFields: ['winner'], winners: ['ana', 'bo'] });
    const verdict = (winner: unknown): unknown =>
      schema['~standard'].validate({ kind: 'judge.verdict', text: 'Done.', winner });
    expect(verdict(['ana'])).toMatchObject({ value: { winner: 'ana' } });
    expect(verdict(['cy'])).toMatchObject({ issues: [{ path: ['winner'] }] });
  });
});

describe('scores', () => {
  it('keep numbers, read numerals, and drop the rest, with a repair for each', () => {
    const scores = { ana: 7, bo: '7/10', cy: '8,5 points', dee: 'high', eve: null, fay: ' 3 ' };
    expect(read({ scores })).toMatchObject({
      scores: { ana: 7, bo: 7, cy: 8.5, fay: 3 },
      repairs: [
        { kind: 'coerced-number', path: ['scores', 'bo'] },
        { kind: 'coerced-number', path: ['scores', 'cy'] },
        { kind: 'dropped-value', path: ['scores', 'dee'] },
        { kind: 'dropped-value', path: ['scores', 'eve'] },
        { kind: 'coerced-number', path: ['scores', 'fay'] },
      ],
      violations: [],
    });
  });

  it.each<[string, unknown]>([
    ['a list', [7]],
    ['a number', 7],
    ['a text', 'seven'],
  ])('that are %s are dropped', (_name, scores) => {
    expect(read({ scores })).toMatchObject({
      scores: {},
      repairs: [{ kind: 'dropped-value', path: ['scores'] }],
      violations: [],
    });
  });

  it.each([undefined, null])('may be missing: %s', (scores) => {
    expect(read({ scores })).toMatchObject({ scores: {}, repairs: [], violations: [] });
  });
});
