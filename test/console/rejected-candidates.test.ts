/** Tests of the marks of text that was not taken as an answer. */
import { expect, it } from 'vitest';
import { rejectedCandidates, transcriptPieces } from '../../web/src/runs/rejected-candidates.ts';

const TEXT = [
  'I answer in <result> tags.',
  '<result>{"a":',
  '<result>soon</result>',
  '<result>{"a":0}</result>',
  '<result>{"a":"1"}</result>',
  '<result>\n{"a":1}\n</result>',
].join('\n');
const attempt = (code: string, raw: string): Parameters<typeof rejectedCandidates>[2][number] => {
  const start = TEXT.indexOf(raw);
  return { code, message: '', span: { start, end: start + raw.length } };
};
const ATTEMPTS = [attempt('schema-mismatch', '{"a":"1"}'), attempt('ok', '{"a":1}')];

it('says why each candidate was not taken, and leaves attempts out', () => {
  const found = rejectedCandidates(TEXT, 'result', ATTEMPTS);
  expect(found.map(({ start, end, reason }) => [TEXT.slice(start, end), reason])).toEqual([
    ['<result>', 'in prose'],
    ['<result>', 'not closed'],
    ['soon', 'not JSON'],
    ['{"a":0}', 'a later one was taken'],
  ]);
  expect(rejectedCandidates(TEXT, undefined, ATTEMPTS)).toEqual([]);
  expect(rejectedCandidates('<result>'.repeat(99), 'result', [])).toHaveLength(50);
});

it('cuts a transcript into pieces that are the whole text', () => {
  const found = rejectedCandidates(TEXT, 'result', ATTEMPTS);
  const pieces = transcriptPieces(TEXT.length, ATTEMPTS, found);
  expect(pieces.map(({ start, end }) => TEXT.slice(start, end)).join('')).toBe(TEXT);
  expect(pieces.flatMap(({ reason, attempt: index }) => reason ?? index ?? [])).toEqual([
    'in prose',
    'not closed',
    'not JSON',
    'a later one was taken',
    0,
    1,
  ]);
});
