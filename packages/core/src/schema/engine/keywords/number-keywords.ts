/** Number keywords. Pure. */
import { NUMBER } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import { isMultipleOf } from '../evaluation/multiple-of.ts';

const BOUNDS = [
  { keyword: 'minimum', word: 'at least', holds: (value: number, bound: number) => value >= bound },
  { keyword: 'maximum', word: 'at most', holds: (value: number, bound: number) => value <= bound },
  { keyword: 'exclusiveMinimum', word: 'more than', holds: (value: number, bound: number) => value > bound },
  { keyword: 'exclusiveMaximum', word: 'less than', holds: (value: number, bound: number) => value < bound },
] as const;

export function compileBounds(site: KeywordSite): void {
  for (const { keyword, word, holds } of BOUNDS) {
    const bound = readBound(site, keyword);
    if (bound === undefined) continue;
    site.node.add(NUMBER, (value, run) => {
      // Only called with numbers.
      const number = value as number;
      return holds(number, bound) || run.fail(() => `Expected ${word} ${bound}, got ${number}`);
    });
  }
}

/** Compiles `multipleOf` exactly: 0.3 is a multiple of 0.1. */
export function compileMultipleOf(site: KeywordSite): void {
  const divisor = site.number('multipleOf') ?? 0;
  if (divisor <= 0) throw site.invalid('multipleOf', 'a number of more than 0');
  site.node.add(NUMBER, (value, run) => {
    // Only called with numbers.
    const number = value as number;
    return (
      isMultipleOf(number, divisor, run) || run.fail(() => `Expected a multiple of ${divisor}, got ${number}`)
    );
  });
}

/** In draft 04 the exclusive bounds are booleans that modify the others. */
function readBound(site: KeywordSite, keyword: (typeof BOUNDS)[number]['keyword']): number | undefined {
  if (!site.compilation.rules.isDraft04) return site.number(keyword);
  const { exclusiveMinimum, exclusiveMaximum } = site.schema;
  switch (keyword) {
    case 'minimum':
      return exclusiveMinimum === true ? undefined : site.number(keyword);
    case 'maximum':
      return exclusiveMaximum === true ? undefined : site.number(keyword);
    case 'exclusiveMinimum':
      return typeof exclusiveMinimum === 'boolean'
        ? onlyIf(exclusiveMinimum, site.number('minimum'))
        : site.number(keyword);
    case 'exclusiveMaximum':
      return typeof exclusiveMaximum === 'boolean'
        ? onlyIf(exclusiveMaximum, site.number('maximum'))
        : site.number(keyword);
    default:
      return keyword satisfies never;
  }
}

function onlyIf(isExclusive: boolean, bound: number | undefined): number | undefined {
  return isExclusive ? bound : undefined;
}
