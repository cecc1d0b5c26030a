/** Bounded form: a form whose endless repeats have an end. Pure. */
import { MAX_TURNS, repeat, sequence, type PatternForm } from './pattern-form.ts';

/** Turns of a repeat without a limit. */
export interface TurnBounds {
  /** Of one character. */
  readonly characters: number;
  /** Of a group. */
  readonly groups: number;
}

/** Returns the form with a limit of turns in each endless repeat. */
export function boundedForm(form: PatternForm, turnsOf: (body: PatternForm) => number): PatternForm {
  switch (form.type) {
    case 'set':
      return form;
    case 'sequence':
      return sequence(form.parts.map((part) => boundedForm(part, turnsOf)));
    case 'choice':
      return { type: 'choice', options: form.options.map((option) => boundedForm(option, turnsOf)) };
    case 'repeat': {
      const max = form.max === Number.POSITIVE_INFINITY ? Math.max(form.min, turnsOf(form.body)) : form.max;
      return repeat(boundedForm(form.body, turnsOf), form.min, max > MAX_TURNS ? form.max : max);
    }
    default:
      return form satisfies never;
  }
}
