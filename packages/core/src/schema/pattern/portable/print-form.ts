/**
 * Form printer: writes a form in the notation that every converter of grammars reads. Only a class has
 * ranges and escapes. Pure.
 */
import { complement, type CodeRange } from '../code-set.ts';
import type { PatternForm } from './pattern-form.ts';

const LAST_CODE_POINT = 0x10_ff_ff;
const LAST_OF_PLANE = 0xff_ff;
const FIRST_BEYOND_ASCII = 0x80;

/** Characters that are literal everywhere. */
const PLAIN = /[A-Za-z0-9 _@:;,=!%&#~`'<>/-]/u;
/** Characters that are literal in a class. */
const PLAIN_IN_CLASS = /[A-Za-z0-9 _@:;,=!%&#~`'<>/.+*?(){}|$]/u;

/** Returns the text of a form, without anchors. */
export function printForm(form: PatternForm): string {
  switch (form.type) {
    case 'set':
      return printSet(form.ranges);
    case 'sequence':
      return form.parts
        .map((part) => (part.type === 'choice' ? `(${printForm(part)})` : printForm(part)))
        .join('');
    case 'choice':
      return form.options.map(printForm).join('|');
    case 'repeat': {
      const body = printForm(form.body);
      return `${form.body.type === 'set' ? body : `(${body})`}${printTurns(form.min, form.max)}`;
    }
    default:
      return form satisfies never;
  }
}

function printTurns(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** A set up to the last character is printed by its complement. */
function printSet(ranges: readonly CodeRange[]): string {
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined && only[0] === only[1]) {
    const character = String.fromCodePoint(only[0]);
    return PLAIN.test(character) ? character : `[${printCharacter(only[0])}]`;
  }
  const isOpen = ranges.at(-1)?.[1] === LAST_CODE_POINT;
  const shown = isOpen ? complement(ranges).filter(([, last]) => last < FIRST_BEYOND_ASCII) : ranges;
  return `[${isOpen ? '^' : ''}${printRanges(shown)}]`;
}

/** Escapes are last: an engine reads a hexadecimal digit after one as a part of it. */
function printRanges(ranges: readonly CodeRange[]): string {
  const plain = ranges.filter((range) => range.every(isPlain));
  const others = ranges.filter((range) => !range.every(isPlain));
  return [
    ...plain.map((range) => printRange(range, printCharacter)),
    ...others.map((range) =>
      printRange(range, (code) => (code > LAST_OF_PLANE ? printCharacter(code) : escape(code))),
    ),
  ].join('');
}

function printRange([first, last]: CodeRange, print: (code: number) => string): string {
  if (first === last) return print(first);
  return `${print(first)}${last === first + 1 ? '' : '-'}${print(last)}`;
}

/** No notation for a character beyond the first plane is read by all converters, but itself is. */
function printCharacter(code: number): string {
  return code > LAST_OF_PLANE || isPlain(code) ? String.fromCodePoint(code) : escape(code);
}

function isPlain(code: number): boolean {
  return PLAIN_IN_CLASS.test(String.fromCodePoint(code));
}

function escape(code: number): string {
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
