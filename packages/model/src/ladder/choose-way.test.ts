import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODE_OF } from './ladder.ts';
import { chooseWay, type ModelCapabilities, type WayState } from './choose-way.ts';
import { LADDER, type Droppable, type LadderStanding } from './ladder.ts';

const MODEL: ModelCapabilities = {
  takesTools: true,
  takesRequiredChoice: true,
  takesRequiredChoiceThinking: false,
  takesNativeSchema: true,
  isThinking: false,
  canStopThinking: true,
};
const STATE: WayState = { hasOtherTools: true, isLastTry: false, refused: [] };

describe.each<[string, Partial<ModelCapabilities>, Partial<WayState>, string]>([
  ['a model that takes it must call a tool', {}, {}, 'tool'],
  ['and also on the last try', {}, { isLastTry: true }, 'tool'],
  [
    'and while it thinks, where it takes that',
    { isThinking: true, takesRequiredChoiceThinking: true },
    {},
    'tool',
  ],
  ['a thinking model is asked without force first', { isThinking: true }, {}, 'tool_auto reminded'],
  [
    'and must call on the last try, without thinking',
    { isThinking: true },
    { isLastTry: true },
    'tool unthinking',
  ],
  [
    'and is asked without force to the end where its thinking cannot be switched off',
    { isThinking: true, canStopThinking: false },
    { isLastTry: true },
    'tool_auto reminded',
  ],
  [
    'a thinking model without other tools decodes under the schema',
    { isThinking: true },
    { hasOtherTools: false },
    'native',
  ],
  ['a refused choice is not asked for again', {}, { refused: ['required'] }, 'tool_auto reminded'],
  [
    'nor on the last try',
    { isThinking: true },
    { refused: ['required'], isLastTry: true },
    'tool_auto reminded',
  ],
  [
    'the schema mode is only for steps without other tools',
    { takesRequiredChoice: false },
    {},
    'tool_auto reminded',
  ],
  ['and is taken there', { takesRequiredChoice: false }, { hasOtherTools: false }, 'native'],
  ['a model without tools decodes under the schema', { takesTools: false }, {}, 'native'],
  [
    'a model that takes neither cannot be asked',
    { takesTools: false, takesNativeSchema: false },
    {},
    'impossible',
  ],
  [
    'nor one whose provider refused all',
    { takesNativeSchema: false },
    { refused: ['required', 'auto'] },
    'impossible',
  ],
])('%s', (_name, model, state, expected) => {
  it('is so', () => {
    const choice = chooseWay({ ...MODEL, ...model }, { ...STATE, ...state });
    const told =
      choice.type === 'impossible'
        ? 'impossible'
        : [choice.mode, choice.stopsThinking && 'unthinking', choice.hasReminder && 'reminded']
            .filter((word) => word !== false)
            .join(' ');
    expect(told).toBe(expected);
  });
});

it('requests nothing that the model does not support or its provider refused', () => {
  const model = fc.record({
    takesTools: fc.boolean(),
    takesRequiredChoice: fc.boolean(),
    takesRequiredChoiceThinking: fc.boolean(),
    takesNativeSchema: fc.boolean(),
    isThinking: fc.boolean(),
    canStopThinking: fc.boolean(),
  });
  const state = fc.record({
    hasOtherTools: fc.boolean(),
    isLastTry: fc.boolean(),
    refused: fc.subarray<Droppable>(['required', 'schema', 'auto']),
  });
  fc.assert(
    fc.property(model, state, (capabilities, turn) => {
      const choice = chooseWay(capabilities, turn);
      if (choice.type === 'impossible') {
        expect(capabilities.takesTools && turn.refused.length === 0).toBe(false);
        return;
      }
      expect(turn.refused).not.toContain(choice.step);
      expect(choice.mode === 'native' ? capabilities.takesNativeSchema : capabilities.takesTools).toBe(true);
      const thinks = capabilities.isThinking && !choice.stopsThinking;
      if (choice.mode === 'tool') {
        expect(capabilities.takesRequiredChoice).toBe(true);
        expect(!thinks || capabilities.takesRequiredChoiceThinking).toBe(true);
      }
      if (choice.stopsThinking) expect(capabilities.canStopThinking && turn.isLastTry).toBe(true);
    }),
  );
});

const LEARNED: ModelCapabilities = { ...MODEL, isLearned: true };
const standing = (...dropped: readonly Droppable[]): LadderStanding => ({
  proven: new Set(),
  dropped: new Set(dropped),
});
const ALONE = { ...STATE, hasOtherTools: false };

it('asks a server of unknown make down the ladder, to the text', () => {
  const dropped: Droppable[] = [];
  for (const step of LADDER) {
    expect(chooseWay(LEARNED, { ...ALONE, standing: standing(...dropped) })).toMatchObject({
      step,
      mode: MODE_OF[step],
    });
    dropped.push(step);
  }
});

it('lets such a model work with its tools first, and asks it for the answer once it writes text', () => {
  const steps = (state: Partial<WayState>): unknown => {
    const { step, isAnswerDue } = { isAnswerDue: false, ...chooseWay(LEARNED, { ...STATE, ...state }) } as {
      readonly step: Droppable;
      readonly isAnswerDue: boolean;
    };
    return [step, isAnswerDue];
  };
  expect(steps({})).toEqual(['required', false]);
  expect(steps({ standing: standing('named', 'required') })).toEqual(['auto', false]);
  expect(steps({ standing: standing('named', 'required', 'auto') })).toEqual(['schema', true]);
  expect(steps({ hasSpoken: true })).toEqual(['schema', true]);
  expect(steps({ hasSpoken: true, standing: standing('schema', 'object') })).toEqual(['named', true]);
});
