/** String keywords: lengths in code points, `pattern`, `format`. Pure. */
import { isCodePointCountWithin } from '../evaluation/code-points.ts';
import { FORMATS } from '../evaluation/formats.ts';
import { STRING } from '../evaluation/json-kind.ts';
import type { KeywordSite } from '../evaluation/keyword-site.ts';
import { countProperties } from '../../pattern/parse-escape.ts';
import { showValue, type ValidationRun } from '../evaluation/validation-run.ts';

/** Checking if a text is a pattern costs far more than matching with one. */
const REGEX_UNITS = 400;
const REGEX_UNITS_PER_CHAR = 10;
/** The tables of a property are built while a pattern is parsed. */
const REGEX_UNITS_PER_PROPERTY = 1500;

/** Compiles `minLength` and `maxLength`. */
export function compileLengths(site: KeywordSite): void {
  const min = site.count('minLength') ?? 0;
  const max = site.count('maxLength') ?? Number.POSITIVE_INFINITY;
  site.node.add(STRING, (value, run) => {
    // Only called with strings.
    const text = value as string;
    return (
      isCodePointCountWithin(text, min, max, run) ||
      run.fail(() => `Expected a string of ${describeRange(min, max, 'character')}, got ${showValue(text)}`)
    );
  });
}

export function compilePatternKeyword(site: KeywordSite): void {
  const source = site.string('pattern') ?? '';
  const pattern = site.compilation.pattern(source, site, site.at('pattern'));
  site.node.add(
    STRING,
    // Only called with strings.
    (value, run) =>
      pattern.matches(value as string, run) ||
      run.fail(() => `Expected a string that matches \`${source}\`, got ${showValue(value)}`),
  );
}

/** Compiles `format`: those of `FORMATS` are asserted, others are annotations. */
export function compileFormat(site: KeywordSite): void {
  const name = site.string('format') ?? '';
  const isOfFormat = FORMATS.get(name);
  if (isOfFormat === undefined) return;
  site.node.add(STRING, (value, run) => {
    // Only called with strings.
    const text = value as string;
    run.spend(1 + (text.length >> 3));
    if (name === 'regex') payForParsing(text, run);
    return (
      isOfFormat(text) ||
      run.fail(() => `Expected a string of the format \`${name}\`, got ${showValue(text)}`)
    );
  });
}

function payForParsing(text: string, run: ValidationRun): void {
  run.spend(REGEX_UNITS + REGEX_UNITS_PER_CHAR * text.length);
  run.spend(REGEX_UNITS_PER_PROPERTY * countProperties(text));
}

/** Renders the expected count: `at least 2 items`. */
export function describeRange(min: number, max: number, noun: string): string {
  const plural = (count: number): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  if (max === Number.POSITIVE_INFINITY) return `at least ${plural(min)}`;
  if (min === 0) return `at most ${plural(max)}`;
  return min === max ? `exactly ${plural(min)}` : `${min} to ${plural(max)}`;
}
