/** Lengths of a form in characters, and a form within the lengths beside it. Pure. */
import type { CodeRange } from '../code-set.ts';
import { MAX_TURNS, repeat, sequence, type PatternForm } from './pattern-form.ts';

export interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

/** Returns the lengths of the texts that a form accepts. */
export function lengthsOf(form: PatternForm): LengthBounds {
  switch (form.type) {
    case 'set':
      return { min: 1, max: 1 };
    case 'sequence':
      return form.parts.map(lengthsOf).reduce(add, { min: 0, max: 0 });
    case 'choice': {
      const all = form.options.map(lengthsOf);
      return {
        min: Math.min(...all.map(({ min }) => min)),
        max: Math.max(...all.map(({ max }) => max)),
      };
    }
    case 'repeat': {
      const { min, max } = lengthsOf(form.body);
      return { min: min * form.min, max: max === 0 ? 0 : max * form.max };
    }
    default:
      return form satisfies never;
  }
}

function add(one: LengthBounds, other: LengthBounds): LengthBounds {
  return { min: one.min + other.min, max: one.max + other.max };
}

/** Returns the number of characters that a form has once each turn is written out. */
export function expandedSize(form: PatternForm): number {
  return countSets(form, () => true);
}

/** The same, of characters that can be several. */
export function choicesIn(form: PatternForm): number {
  return countSets(form, ([first, ...others]) => others.length > 0 || first?.[0] !== first?.[1]);
}

function countSets(form: PatternForm, isCounted: (ranges: readonly CodeRange[]) => boolean): number {
  switch (form.type) {
    case 'set':
      return isCounted(form.ranges) ? 1 : 0;
    case 'sequence':
      return form.parts.reduce((size, part) => size + countSets(part, isCounted), 0);
    case 'choice':
      return form.options.reduce((size, option) => size + countSets(option, isCounted), 0);
    case 'repeat': {
      const turns = form.max === Number.POSITIVE_INFINITY ? form.min + 1 : form.max;
      return countSets(form.body, isCounted) * turns;
    }
    default:
      return form satisfies never;
  }
}

/** A form, and whether it holds the lengths. */
export interface FittedForm {
  readonly form: PatternForm;
  readonly isHeld: boolean;
}

/**
 * Moves lengths into the repeats of a form, because a converter drops them beside a pattern. One part of
 * several lengths takes both bounds. Of more such parts, each takes the maximum, so that none is endless.
 */
export function withinLengths(form: PatternForm, { min, max }: LengthBounds): FittedForm {
  const own = lengthsOf(form);
  if (own.min >= min && own.max <= max) return { form, isHeld: true };
  const parts = form.type === 'sequence' ? form.parts : [form];
  const varied = parts.filter((part) => isVaried(lengthsOf(part)));
  const isOnly = varied.length === 1;
  const fitted = parts.map((part) => {
    if (part.type !== 'repeat' || !isVaried(lengthsOf(part))) return part;
    const others = own.min - lengthsOf(part).min;
    return fitRepeat(part, { min: isOnly ? min - others : 0, max: max - others });
  });
  const fit = sequence(fitted);
  const { min: least, max: most } = lengthsOf(fit);
  return { form: fit, isHeld: least >= min && most <= max };
}

function isVaried({ min, max }: LengthBounds): boolean {
  return min !== max;
}

function fitRepeat(part: PatternForm & { type: 'repeat' }, { min, max }: LengthBounds): PatternForm {
  const width = lengthsOf(part.body);
  const least = isVaried(width) ? part.min : Math.max(part.min, Math.ceil(min / width.max));
  const turns = Math.floor(max / Math.max(1, width.min));
  const most = Math.min(part.max, turns > MAX_TURNS ? Number.POSITIVE_INFINITY : turns);
  return least > most || least > MAX_TURNS ? part : repeat(part.body, least, most);
}
