import { describe, expect, it } from 'vitest';
import { complianceOf, type AnswerCompliance } from './answer-compliance.ts';

const NOTHING: AnswerCompliance = {
  validOnFirstTry: false,
  reAsked: false,
  repaired: false,
  coerced: false,
  raw: false,
  skipped: false,
  noContest: false,
};
const VALIDATED = { path: 'validated', rung: 'validated', attempts: 1, violations: [], repairs: [] };
const PROMPTED = { path: 'prompted', rung: 'prompted', tier: 'strict', attempts: 1 };

const factsOf = (provenance: unknown, payload: unknown = {}, kind = 'agent.spoke'): AnswerCompliance =>
  complianceOf({ kind, payload, provenance });

describe('an answer is valid on the first try', () => {
  it.each<[string, unknown]>([
    ['validated', VALIDATED],
    ['prompted, and strict JSON', PROMPTED],
  ])('if it is %s', (_name, provenance) => {
    expect(factsOf(provenance)).toEqual({ ...NOTHING, validOnFirstTry: true });
  });

  it.each<[string, unknown]>([
    ['embedded in other text', { ...PROMPTED, tier: 'embedded' }],
    ['strict by another path', { ...PROMPTED, path: 'other' }],
    ['with a broken rule', { ...VALIDATED, violations: [{ code: 'text-empty' }] }],
    ['without a record', undefined],
    ['with a record that is a list', []],
  ])('but not %s', (_name, provenance) => {
    expect(factsOf(provenance)).toEqual(NOTHING);
  });
});

describe('one fact is enough, and the answer is not valid on the first try', () => {
  it.each<[keyof AnswerCompliance, string, unknown]>([
    ['raw', 'the rung', { ...VALIDATED, rung: 'raw' }],
    ['raw', 'the tier', { ...VALIDATED, tier: 'raw' }],
    ['repaired', 'the tier', { ...VALIDATED, tier: 'repaired' }],
    ['repaired', 'one repair', { ...VALIDATED, repairs: [{ kind: 'escape', path: [] }] }],
    ['coerced', 'the requested kind', { ...VALIDATED, requestedKind: 'judge.verdict' }],
    [
      'coerced',
      'a missing kind among the violations',
      { ...VALIDATED, violations: [{ code: 'text-echo' }, { code: 'kind-missing' }] },
    ],
    ['coerced', 'a kind that is not granted', { ...VALIDATED, violations: [{ code: 'kind-not-granted' }] }],
    ['reAsked', 'two attempts', { ...VALIDATED, attempts: 2 }],
    ['reAsked', 'another winner', { ...VALIDATED, winnerReAsked: true }],
    ['reAsked', 'a new line', { ...VALIDATED, repeatReAsked: true }],
    ['reAsked', 'the prompt after the validated path', { ...PROMPTED, path: 'validated' }],
  ])('%s, by %s', (fact, _name, provenance) => {
    expect(factsOf(provenance)).toEqual({ ...NOTHING, [fact]: true });
  });

  it('skipped, by the kind of the event', () => {
    expect(factsOf(VALIDATED, {}, 'agent.skipped')).toEqual({ ...NOTHING, skipped: true });
  });

  it('no contest, by the payload', () => {
    expect(factsOf(VALIDATED, { no_contest: 'unknown winner' })).toEqual({ ...NOTHING, noContest: true });
  });
});

it.each<[string, unknown]>([
  ['no list of violations', { ...VALIDATED, violations: 'kind-missing', repairs: 'escape' }],
  ['attempts as text', { ...VALIDATED, attempts: '2' }],
  ['marks that are not true', { ...VALIDATED, winnerReAsked: 1, repeatReAsked: 'true', requestedKind: 4 }],
])('a damaged record makes no fact true: %s', (_name, provenance) => {
  expect(factsOf(provenance, 'no payload')).toEqual({ ...NOTHING, validOnFirstTry: true });
});

it('a violation that is no object is a broken rule, and no replaced kind', () => {
  expect(factsOf({ ...VALIDATED, violations: ['kind-missing', null] })).toEqual(NOTHING);
});
