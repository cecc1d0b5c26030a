import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drop,
  LADDER,
  learn,
  shownBy,
  UNKNOWN_STANDING,
  type LadderStep,
  type LadderStanding,
} from './ladder.ts';

/** Proven steps, and dropped ones after a stroke. */
function told({ proven, dropped }: LadderStanding): string {
  return [[...proven].join(' '), [...dropped].join(' ')].join('|');
}

const UNTRIED = UNKNOWN_STANDING;
const known = (step: LadderStep): LadderStanding => learn(UNTRIED, step, 'shaped');
const JSON_TEXT = '{"moons":2}';
const PROSE = 'There are two.';
const reply = { text: '', hasCall: false, isAccepted: false, isWhole: true };

describe.each<[LadderStep, string, Partial<typeof reply>, { untried: string; proven: string }]>([
  ['schema', 'the answer', { text: JSON_TEXT, isAccepted: true }, { untried: 'schema|', proven: 'schema|' }],
  ['schema', 'JSON of another shape', { text: '{"n":2}' }, { untried: '|', proven: 'schema|' }],
  ['schema', 'prose', { text: PROSE }, { untried: '|schema object', proven: '|' }],
  [
    'schema',
    'an accepted fence',
    { text: '```json\n{}\n```', isAccepted: true },
    { untried: '|', proven: 'schema|' },
  ],
  ['schema', 'a fence', { text: '```json\n{}\n```' }, { untried: '|schema object', proven: '|' }],
  ['schema', 'broken JSON', { text: "{'moons':2}" }, { untried: '|schema object', proven: '|' }],
  ['schema', 'JSON that stops', { text: '{"moons":' }, { untried: '|', proven: 'schema|' }],
  ['schema', 'cut prose', { text: PROSE, isWhole: false }, { untried: '|', proven: 'schema|' }],
  [
    'schema',
    'a cut answer',
    { text: JSON_TEXT, isAccepted: true, isWhole: false },
    { untried: '|', proven: 'schema|' },
  ],
  ['schema', 'nothing', {}, { untried: '|', proven: 'schema|' }],
  ['object', 'the answer', { text: JSON_TEXT, isAccepted: true }, { untried: 'object|', proven: 'object|' }],
  ['object', 'prose', { text: PROSE }, { untried: '|schema object', proven: '|' }],
  ['named', 'a call', { hasCall: true }, { untried: 'named|', proven: 'named|' }],
  ['named', 'a call after text', { hasCall: true, text: PROSE }, { untried: 'named|', proven: 'named|' }],
  ['named', 'a cut call', { hasCall: true, isWhole: false }, { untried: '|', proven: 'named|' }],
  ['named', 'prose', { text: PROSE }, { untried: '|named required', proven: '|' }],
  [
    'named',
    'the answer as text',
    { text: JSON_TEXT, isAccepted: true },
    { untried: '|named required', proven: '|' },
  ],
  ['named', 'nothing', {}, { untried: '|', proven: 'named|' }],
  ['required', 'a call', { hasCall: true }, { untried: 'required|', proven: 'required|' }],
  ['required', 'prose', { text: PROSE }, { untried: '|named required', proven: '|' }],
  ['json', 'the answer', { text: JSON_TEXT, isAccepted: true }, { untried: 'json|', proven: 'json|' }],
  ['json', 'prose', { text: PROSE }, { untried: '|json', proven: '|' }],
  ['text', 'the answer', { text: JSON_TEXT, isAccepted: true }, { untried: '|', proven: '|' }],
  ['text', 'prose', { text: PROSE }, { untried: '|', proven: '|' }],
])('%s, after %s', (step, _name, part, expected) => {
  const shown = shownBy(step, { ...reply, ...part });

  it('learns what an untried step shows', () => {
    expect(told(learn(UNTRIED, step, shown))).toBe(expected.untried);
  });

  it('keeps a proof unless the step is ignored', () => {
    expect(told(learn(known(step), step, shown))).toBe(expected.proven);
  });
});

it('keeps the proven form of an ability if the other one is ignored', () => {
  const standing = learn(known('named'), 'required', 'ignored');
  expect(told(standing)).toBe('named|required');
});

it('takes a dropped step back once a reply was shaped by it', () => {
  expect(told(learn(drop(UNTRIED, ['schema']), 'schema', 'shaped'))).toBe('schema|');
});

it('never drops the text, and asks no dropped step after any history', () => {
  const event = fc.record({
    step: fc.constantFrom(...LADDER),
    shown: fc.constantFrom('shaped', 'ignored', 'nothing', 'refused'),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const standing = events.reduce<LadderStanding>(
        (before, { step, shown }) =>
          shown === 'refused' ? drop(before, [step]) : learn(before, step, shown),
        UNTRIED,
      );
      expect(standing.dropped.has('text')).toBe(false);
      expect([...standing.proven].filter((step) => standing.dropped.has(step))).toEqual([]);
    }),
  );
});
