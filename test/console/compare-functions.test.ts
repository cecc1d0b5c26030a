/** Functions of the lists and of the comparison: order, histogram, CSV, aligned fields, figures, and examples. */
import { expect, it } from 'vitest';
import { ExactNumber } from '../../packages/core/src/json/exact-value.ts';
import { submission } from '../../packages/server/src/serve/demo-submission.ts';
import { figuresOf } from '../../web/src/compare/compare-figures.ts';
import { fieldsOf, jsonOf, describeResult, type ComparedAnswer } from '../../web/src/compare/compared.ts';
import { parseSchema } from '../../web/src/json/describe-schema.ts';
import { money } from '../../web/src/parts/format.ts';
import { nextOrder, orderRows, readOrder, serverOrder } from '../../web/src/parts/list/table-order.ts';
import { qualityCsv } from '../../web/src/quality/quality-csv.ts';
import { EXAMPLES } from '../../web/src/question/examples.ts';
import { barsOf } from '../../web/src/receipts/day-bars.ts';
import { csvOf } from '../../web/src/receipts/receipt-csv.ts';

it('orders rows largest first, then smallest first, then as they came, and rows without a number last', () => {
  const rows = [{ cost: 3 }, { cost: undefined }, { cost: 1 }, { cost: 2 }];
  const order = (text: string): readonly (number | undefined)[] =>
    orderRows(rows, ({ cost }) => cost, readOrder(text)?.isRising === true).map(({ cost }) => cost);
  expect(nextOrder(undefined, 'cost')).toBe('cost');
  expect(nextOrder(readOrder('cost'), 'cost')).toBe('cost.rising');
  expect(nextOrder(readOrder('cost.rising'), 'cost')).toBe('');
  expect(nextOrder(readOrder('cost.rising'), 'time')).toBe('time');
  expect(readOrder('')).toBeUndefined();
  expect(order('cost')).toEqual([3, 2, 1, undefined]);
  expect(order('cost.rising')).toEqual([1, 2, 3, undefined]);
  expect(serverOrder('time.rising')).toEqual({ sort: 'duration', direction: 'asc' });
  expect(serverOrder('cost')).toEqual({ sort: 'cost' });
  // The server refuses a name that it does not have.
  expect(serverOrder('commits')).toEqual({});
});

it('has a bar for each day of a report, also for those without an answer, and at most 48', () => {
  const day = (number: number): string => `2026-11-0${number}T00:00:00.000Z`;
  const report = {
    since: '2026-11-01T10:00:00.000Z',
    until: '2026-11-04T10:00:00.000Z',
    bucket: 'day',
    by: 'source',
    sources: ['chats'],
    is_complete: true,
    totals: { answers: 5, first_try: 3, valid: 4, attempts: 6, unanswered: 0 },
    rows: [{ key: 'chats', answers: 1, first_try: 1, valid: 1, attempts: 1, unanswered: 0, p50_ms: 900 }],
    fields: [],
    buckets: [
      { start: day(2), answers: 3, first_try: 2, valid: 2, p50_ms: 2_400, p95_ms: 8_100 },
      { start: day(2), key: 'chats', answers: 1, first_try: 1, valid: 1 },
      { start: day(4), answers: 2, first_try: 1, valid: 2 },
      { start: day(4), key: '=1+1, or "2"?', answers: 1, first_try: 0, valid: 1 },
    ],
  } as const;
  expect(barsOf(report)).toEqual([
    { start: day(1), end: day(2), answers: 0, failed: 0 },
    { start: day(2), end: day(3), answers: 3, failed: 1 },
    { start: day(3), end: day(4), answers: 0, failed: 0 },
    { start: day(4), end: day(5), answers: 2, failed: 0 },
  ]);
  expect(barsOf({ ...report, since: '2025-01-01T00:00:00.000Z' })).toHaveLength(48);
  expect(qualityCsv(report).split('\r\n')).toEqual([
    'start,source,answers,first_try,valid,p50_ms,p95_ms',
    'whole time,all answers,5,3,4,,',
    'whole time,chats,1,1,1,900,',
    `${day(2)},all answers,3,2,2,2400,8100`,
    `${day(4)},all answers,2,1,2,,`,
    `${day(2)},chats,1,1,1,,`,
    `${day(4)},"'=1+1, or ""2""?",1,0,1,,`,
    '',
  ]);
});

it('writes receipts as CSV, in which no spreadsheet runs a cell', () => {
  const row = {
    request_id: 'r',
    chat_id: 'c',
    status: 'failed',
    created_at: '2026-11-01T10:00:00.000Z',
    question_preview: '=1+1, or "2"?',
    attempts: [{}, {}],
    first_issue: { path: '/line', message: 'Expected integer', got: '"twelve"' },
  } as const;
  const [head = '', line = ''] = csvOf([row]).split('\r\n');
  expect(head.split(',').length).toBe(14);
  expect(line).toBe(
    `r,c,2026-11-01T10:00:00.000Z,failed,"'=1+1, or ""2""?",,,2,,,,/line,Expected integer,"""twelve"""`,
  );
});

const schema = parseSchema(
  '{"type":"object","properties":{"file":{"type":"string"},"line":{"type":"integer"},"why":{"type":"string"}}}',
);
const answer = (own: Partial<ComparedAnswer>): ComparedAnswer => ({
  key: 'a',
  title: 'one',
  href: '/',
  state: 'valid',
  note: '',
  value: undefined,
  refused: [],
  issues: [],
  attempts: 1,
  durationMs: undefined,
  costUsd: undefined,
  tokens: undefined,
  facts: {},
  ...own,
});

it('aligns the fields of answers, and marks what differs, what was refused, and what was corrected', () => {
  const why = 'The loop runs once too often here.';
  const answers = [
    answer({
      value: { file: 'a.ts', line: new ExactNumber('12345678901234567890'), why },
      refused: [{ line: 'x' }],
    }),
    answer({ value: { file: 'a.ts', line: 41, why: `${why} Twice.`, more: [1, { b: 2, a: 1 }] } }),
    answer({
      state: 'failed',
      value: { file: 'a.ts', line: 'twelve', why },
      issues: [{ path: '/line', rule: 'Expected integer' }],
    }),
  ];
  const fields = fieldsOf(answers, schema);
  expect(fields.map(({ name, type, isSame }) => [name, type, isSame])).toEqual([
    ['file', 'text', true],
    ['line', 'whole number', false],
    ['why', 'text', false],
    ['more', '', false],
  ]);
  expect(fields[1]?.cells).toEqual([
    { text: '12345678901234567890', kind: 'number', isOther: false, rule: undefined, before: '"x"' },
    { text: '41', kind: 'number', isOther: true, rule: undefined, before: undefined },
    { text: '"twelve"', kind: 'string', isOther: true, rule: 'Expected integer', before: undefined },
  ]);
  expect(fields[2]?.cells[1]).toMatchObject({ text: `${why} Twice.`, kind: 'prose', isOther: true });
  expect(fields[3]?.cells[1]?.text).toBe('[1, {"a": 1, "b": 2}]');
  expect(fields[0]?.cells[0]?.before).toBe('missing');
  expect(jsonOf(undefined)).toBeUndefined();
  expect(describeResult(answers, fields)).toBe('2 of 3 are valid. 3 of 4 fields differ.');
  const [one] = answers;
  if (one === undefined) throw new TypeError('There is an answer.');
  expect(describeResult([one, one], fieldsOf([one, one], schema))).toBe('All fields are the same.');
  const open = answer({ state: 'open' });
  expect(describeResult([one, open], fieldsOf([one, open], schema))).toBe('1 of 2 still answer.');
  expect(fieldsOf([answer({ value: 'a' }), answer({ value: 'b' })], {})).toMatchObject([
    { name: 'value', isSame: false },
  ]);
  expect(fieldsOf([answer({})], {})).toEqual([]);
});

it('finds the best figure among the valid answers, if they differ', () => {
  const rows = figuresOf([
    answer({ attempts: 2, durationMs: 4_000, costUsd: 0.004 }),
    answer({ attempts: 1, durationMs: 2_000, costUsd: 0.004 }),
    answer({ state: 'failed', attempts: 1, durationMs: 1_000, facts: { Sandbox: 'none' } }),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(['Attempts', 'Time', 'Cost', 'Sandbox']);
  expect(rows[0]?.cells).toEqual([
    { text: '2', share: 1, isBest: false },
    { text: '1', share: 0.5, isBest: true },
    { text: '1', share: 0.5, isBest: false },
  ]);
  expect(rows[1]?.cells.map(({ isBest }) => isBest)).toEqual([false, true, false]);
  expect(rows[2]?.cells.some(({ isBest }) => isBest)).toBe(false);
  expect(rows[3]?.cells.map(({ text }) => text)).toEqual(['–', '–', 'none']);
  const alike = figuresOf([answer({ durationMs: 3_120 }), answer({ durationMs: 3_090 })]);
  expect(alike[1]?.cells.map(({ text, isBest }) => [text, isBest])).toEqual([
    ['3.1 s', false],
    ['3.1 s', false],
  ]);
});

it('has an example for each kind of question, whose answer of the demo model has its examples', () => {
  const answers = EXAMPLES.map(({ question }) =>
    submission(parseSchema(question.schemaText), { isValid: true }),
  );
  expect(answers).toEqual([
    { file: 'src/loop.ts', line: expect.any(Number), why: 'The loop runs once too often.' },
    {
      number: '2026-118',
      items: [
        { name: 'keyboard', price: 49 },
        { name: 'cable', price: 9.5 },
      ],
      total: 107.5,
    },
    { severity: 'low', area: 'importer', labels: ['bug', 'csv'] },
    { parties: ['landlord', 'tenant'], starts: '2027-03-01', rent: 940 },
  ]);
});

it('writes dollars with cents, and less than a dollar with two digits', () => {
  expect([0, 0.00312, 0.1, 1.4, 1.999, 1234.5].map(money)).toEqual([
    '$0',
    '$0.0031',
    '$0.1',
    '$1.40',
    '$2.00',
    '$1,234.50',
  ]);
});
