import { describe, expect, it } from 'vitest';
import {
  advance,
  decideAnswer,
  NO_PROGRESS,
  startRepetitions,
  type AnswerLimits,
  type AnswerProgress,
  type LoopStep,
} from './answer-loop.ts';
import type { StepOutcome } from '../../errors/base/answer-step.ts';

const LIMITS: AnswerLimits = { maxSteps: 20, maxTextOnly: 5, maxRejections: 5 };

function after(...steps: readonly (StepOutcome | LoopStep)[]): AnswerProgress {
  return steps
    .map((step) => (typeof step === 'string' ? { outcome: step } : step))
    .reduce(advance, NO_PROGRESS);
}

function told(progress: AnswerProgress, limits: Partial<AnswerLimits> = {}): string {
  const next = decideAnswer(progress, { ...LIMITS, ...limits });
  if (next.type === 'fail') return next.reason;
  const { isLastTry, isAnswerDue } = next;
  return ['call', isLastTry && 'last', isAnswerDue && 'due'].filter(Boolean).join(' ');
}

const times = (count: number, step: StepOutcome | LoopStep): (StepOutcome | LoopStep)[] =>
  Array.from({ length: count }, () => step);
const repeated: LoopStep = { outcome: 'worked', isRepeated: true };
const cut = (outcome: StepOutcome): LoopStep => ({ outcome, isCut: true });

describe('the answer loop', () => {
  it.each<[string, readonly (StepOutcome | LoopStep)[], string]>([
    ['calls the model at first', [], 'call'],
    ['goes on after work', times(9, 'worked'), 'call'],
    ['ends after five texts', times(5, 'text-only'), 'text_only'],
    ['forces the last try after four texts', times(4, 'text-only'), 'call last'],
    ['counts texts since the last call', [...times(4, 'text-only'), 'worked', 'text-only'], 'call'],
    ['counts a rejection as a call', [...times(4, 'text-only'), 'rejected', 'text-only'], 'call'],
    [
      'ends after five rejections in all',
      [...times(4, 'rejected'), 'worked', 'rejected'],
      'validation_exhausted',
    ],
    ['ends after an empty reply', ['worked', 'empty'], 'empty_response'],
    ['ends after a refusal', ['refused'], 'refused'],
    ['ends after an empty reply at the output limit', [cut('empty')], 'truncated'],
    ['names the cut if the last text was cut', [...times(4, 'text-only'), cut('text-only')], 'truncated'],
    ['names the cut if the last answer was cut', [...times(4, 'rejected'), cut('rejected')], 'truncated'],
    ['asks again after one cut', [cut('rejected')], 'call'],
    ['ends after three calls of tools that were not offered', times(3, 'unknown-tool'), 'unknown_tool'],
    ['goes on after work between them', ['unknown-tool', 'unknown-tool', 'worked', 'unknown-tool'], 'call'],
    ['wants the answer in its last two steps', times(18, 'worked'), 'call due'],
    ['and in the last one', times(19, 'worked'), 'call last due'],
    ['wants the answer after three steps that only repeat', times(3, repeated), 'call due'],
    ['and goes on once one does not', [...times(2, repeated), 'worked', repeated], 'call'],
    ['ends after its steps', times(20, 'worked'), 'step_budget'],
  ])('%s', (_, steps, expected) => {
    expect(told(after(...steps))).toBe(expected);
  });

  it('ends at once after a cut at the limit of the caller', () => {
    expect(told(after(cut('rejected')), { isCutFinal: true })).toBe('truncated');
  });

  it('reserves no step if there are few', () => {
    expect([0, 1, 2].map((done) => told(after(...times(done, 'worked')), { maxSteps: 3 }))).toEqual([
      'call',
      'call',
      'call last',
    ]);
  });
});

it('finds the third call with the same result, and no other', () => {
  const same = { name: 'look', args: '{}', result: 'nothing' };
  const calls = [same, { ...same, result: 'more' }, same, { ...same, args: '{"a":1}' }, same, same];
  expect(calls.map(startRepetitions())).toEqual([false, false, false, false, true, true]);
});
