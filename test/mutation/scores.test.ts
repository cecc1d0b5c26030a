/** Checks the rooms of the mutants and their committed scores. `npm run proof:mutants` makes the scores. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourcesOf, suitesOf, type Mutant } from './make-mutants.ts';
import { readSteps } from './plan.ts';
import { ROOMS, type RoomName } from './rooms.ts';
import { fateOf, isMessage, LOWEST_SCORE, readScores, sharesOf, tableOf } from './scores.ts';

const NAMES = Object.keys(ROOMS) as RoomName[];
const MUTANT: Mutant = {
  id: '1',
  file: 'a.ts',
  line: 1,
  kind: 'StringLiteral',
  original: "'Expected a text.'",
  replacement: '""',
};

describe.each(NAMES)('the room %s', (name) => {
  it('has sources, none of them a test, and suites', () => {
    expect(sourcesOf(ROOMS[name]).length).toBeGreaterThan(10);
    expect(sourcesOf(ROOMS[name]).filter((file) => file.includes('.test'))).toEqual([]);
    expect(suitesOf(ROOMS[name]).length).toBeGreaterThan(1);
  });
});

describe.each(readScores().map((score) => [score.room, score] as const))(
  'the committed score of %s',
  (room, score) => {
    it('is of a room, and at least 80 %', () => {
      expect(NAMES).toContain(room);
      expect(sharesOf(score).score).toBeGreaterThanOrEqual(LOWEST_SCORE);
    });

    it('is of more than 300 mutants, each of them counted once', () => {
      expect(score.tried).toBeGreaterThan(300);
      expect(score.killed + score.survived + score.notReached).toBe(score.tried);
    });
  },
);

it('the page has the table of the committed scores', () => {
  expect(readFileSync('docs/contributing/mutants.md', 'utf8')).toContain(tableOf(readScores()));
});

describe('a mutant', () => {
  const none = { killed: new Map<string, string>(), timedOut: new Set<string>() };
  const has = new Set(['1']);
  it.each([
    ['killed', { ...none, killed: new Map([['1', 'a test']]), reached: has, loaded: has }],
    ['killed', { ...none, timedOut: has, reached: has, loaded: has }],
    ['survived', { ...none, reached: has, loaded: has }],
    ['loaded', { ...none, reached: new Set<string>(), loaded: has }],
    ['not reached', { ...none, reached: new Set<string>(), loaded: new Set<string>() }],
  ])('is %s', (fate, verdicts) => {
    expect(fateOf(MUTANT, verdicts)).toBe(fate);
  });

  it.each([
    ["'Expected a text.'", true],
    ['`${name} is not one of ${names}.`', true],
    ["'additionalProperties'", false],
    ["'a-b'", false],
    ['` `', false],
  ])('of %s changes a message: %s', (original, isText) => {
    expect(isMessage({ ...MUTANT, original })).toBe(isText);
    expect(isMessage({ ...MUTANT, original, kind: 'ConditionalExpression' })).toBe(false);
  });
});

it('the score leaves out messages, and counts what no test reaches', () => {
  const counts = {
    made: 20,
    tried: 12,
    killed: 6,
    survived: 5,
    notReached: 1,
    loaded: { made: 8, tried: 2, killed: 1 },
  };
  const score = { room: 'output', date: '', commit: '', ...counts, messages: { tried: 4, killed: 1 } };
  expect(sharesOf(score)).toEqual({ score: 5 / 8, all: 6 / 12 });
});

it('a log that is cut within a line is read up to that line', () => {
  const step = { step: 'done', test: 'a' };
  expect(readSteps(`${JSON.stringify(step)}\n{"step":"do`)).toEqual([step]);
});
