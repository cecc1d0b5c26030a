/** Counts of answers, and of the failures of each field. */
import { expect, it } from 'vitest';
import { bucketStart, chooseWidth } from './bucket-width.ts';
import { QualityFold } from './fold-quality.ts';
import type { EndedAnswer } from './ended-answer.ts';

const DAY = 86_400_000;
/** An answer whose last attempt is valid. By default, this is the first attempt. */
const answer = (facts: Partial<EndedAnswer> = {}): EndedAnswer => ({
  source: 'chats',
  createdAt: 0,
  isValid: true,
  isFirstTry: (facts.isValid ?? true) && (facts.attempts ?? 1) === 1,
  attempts: 1,
  issues: [],
  model: 'a',
  name: 'bug',
  schemaHash: 'h',
  agent: null,
  mode: 'tool',
  costUsd: undefined,
  durationMs: undefined,
  ...facts,
});
const refused = (...paths: readonly string[]): Pick<EndedAnswer, 'issues'> => ({
  issues: [paths.map((path) => ({ path, rule: 'Expected number' }))],
});
const fold = (answers: readonly EndedAnswer[], by: 'model' | 'agent' | 'source' = 'model') => {
  const counted = new QualityFold({ by, bucket: 'day' });
  for (const each of answers) counted.add(each);
  return counted.result();
};

it('counts first tries, later ones, failures, and requests without an attempt', () => {
  const { totals } = fold([
    answer({ costUsd: 0.25 }),
    answer({ attempts: 2, ...refused('/n'), costUsd: 0.5 }),
    answer({ isValid: false, ...refused('/n') }),
    answer({ isValid: false, attempts: 0 }),
  ]);
  expect(totals).toEqual({
    answers: 3,
    first_try: 1,
    valid: 2,
    attempts: 4,
    unanswered: 1,
    first_try_share: 0.3333,
    valid_share: 0.6666,
    cost_usd: 0.75,
  });
  expect(fold([answer({ isValid: false, attempts: 0 })]).totals).not.toHaveProperty('valid_share');
});

it('groups by a fact and by day, and gives the largest groups buckets', () => {
  const { rows, buckets } = fold([
    answer({ model: 'b' }),
    answer({ createdAt: DAY + 1 }),
    answer({ createdAt: DAY + 2, isValid: false, ...refused('/n') }),
    answer({ model: null, isValid: false, attempts: 0 }),
  ]);
  expect(rows.map(({ key, answers }) => [key, answers])).toEqual([
    ['a', 2],
    ['b', 1],
    [undefined, 0],
  ]);
  const start = (day: number): string => new Date(day * DAY).toISOString();
  expect(buckets).toEqual([
    { start: start(0), answers: 1, first_try: 1, valid: 1 },
    { start: start(1), answers: 2, first_try: 1, valid: 1 },
    { start: start(1), key: 'a', answers: 2, first_try: 1, valid: 1 },
    { start: start(0), key: 'b', answers: 1, first_try: 1, valid: 1 },
  ]);
  expect(fold([answer()], 'agent').rows).toMatchObject([{ answers: 1 }]);
  const bySource = fold([answer(), answer({ source: 'runs', agent: 'codex' })], 'source');
  expect(bySource.rows.map(({ key }) => key)).toEqual(['chats', 'runs']);
});

it('counts a field once per attempt, whichever item of an array it is in', () => {
  const { fields } = fold([
    answer({ attempts: 2, ...refused('/lines/0/tax', '/lines/12/tax', '/id') }),
    answer({ attempts: 2, ...refused('/lines/3/tax') }),
    answer({ model: 'b' }),
  ]);
  expect(fields).toEqual([
    {
      name: 'bug',
      schema_hash: 'h',
      model: 'a',
      path: '/lines/*/tax',
      rule: 'Expected number',
      failed: 2,
      attempts: 4,
    },
    {
      name: 'bug',
      schema_hash: 'h',
      model: 'a',
      path: '/id',
      rule: 'Expected number',
      failed: 1,
      attempts: 4,
    },
  ]);
});

it('stays bounded with as many groups, days and fields as requests', () => {
  const answers = Array.from({ length: 6_000 }, (_each, index) =>
    answer({ model: `m${index}`, createdAt: index * DAY, ...refused(`/key-${index}`) }),
  );
  const { rows, fields, totals } = fold(answers);
  expect([rows.length, fields.length, totals.answers]).toEqual([200, 100, 6_000]);
});

it('widens buckets until a chart can show them', () => {
  expect(chooseWidth(DAY)).toBe('hour');
  expect(chooseWidth(7 * DAY)).toBe('day');
  expect(chooseWidth(7 * DAY, 'hour')).toBe('hour');
  expect(chooseWidth(30 * DAY, 'hour')).toBe('day');
  expect(chooseWidth(4_000 * DAY, 'hour')).toBe('week');
  expect(bucketStart(DAY + 5, 'day')).toBe(DAY);
});
