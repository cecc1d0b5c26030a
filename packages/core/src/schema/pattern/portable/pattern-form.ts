/**
 * Pattern form: a pattern without assertions, references and captures, whose characters JSON text does
 * not escape. It accepts at least what the pattern accepts of such texts. Pure.
 */
import { complement } from '../code-set.ts';
import type { CodeRange } from '../code-set.ts';
import type { PatternNode } from '../pattern-node.ts';
import { ESCAPED, portableRanges } from './portable-ranges.ts';

/** One part of a form. A choice has at least two options, and none of them is empty. */
export type PatternForm =
  | { readonly type: 'set'; readonly ranges: readonly CodeRange[] }
  | { readonly type: 'sequence'; readonly parts: readonly PatternForm[] }
  | { readonly type: 'choice'; readonly options: readonly PatternForm[] }
  | { readonly type: 'repeat'; readonly body: PatternForm; readonly min: number; readonly max: number };

/** Result of a conversion. `form` is undefined if no text without escapes can match. */
export interface FormOf {
  readonly form: PatternForm | undefined;
  /** False if the form accepts more than the pattern. */
  readonly isExact: boolean;
}

/** Maximum of a counted repeat: engines refuse more. */
export const MAX_TURNS = 2_000;

const EMPTY: PatternForm = { type: 'sequence', parts: [] };

/** All characters that JSON text does not escape. */
export const ANY_CHARACTER: PatternForm = { type: 'set', ranges: complement(ESCAPED) };
/** Any text of such characters. */
export const ANY_TEXT: PatternForm = repeat(ANY_CHARACTER, 0, Number.POSITIVE_INFINITY);

/** Converts a part of a pattern. */
export function formOf(node: PatternNode): FormOf {
  const state = { isExact: true };
  return { form: convert(node, state), isExact: state.isExact };
}

/** Whether the conversion has widened anything so far. */
interface State {
  isExact: boolean;
}

function convert(node: PatternNode, state: State): PatternForm | undefined {
  switch (node.type) {
    case 'set': {
      const { parts: ranges, isExact } = portableRanges(node.set);
      if (!isExact) state.isExact = false;
      return alternation(ranges.map((part) => ({ type: 'set', ranges: part })));
    }
    case 'sequence': {
      const parts = node.parts.map((part) => convert(part, state));
      return parts.every((part) => part !== undefined) ? sequence(parts) : undefined;
    }
    case 'choice':
      return alternation(node.options.map((option) => convert(option, state)));
    case 'group':
      return convert(node.body, state);
    case 'repeat':
      return convertRepeat(node, state);
    case 'assertion':
    case 'look':
      // The validator decides.
      state.isExact = false;
      return EMPTY;
    case 'reference':
      state.isExact = false;
      return ANY_TEXT;
    default:
      return node satisfies never;
  }
}

function convertRepeat(node: PatternNode & { type: 'repeat' }, state: State): PatternForm | undefined {
  const body = convert(node.body, state);
  if (body === undefined) return node.min === 0 ? EMPTY : undefined;
  const min = Math.min(node.min, MAX_TURNS);
  const max = node.max > MAX_TURNS ? Number.POSITIVE_INFINITY : node.max;
  if (min !== node.min || max !== node.max) state.isExact = false;
  return repeat(body, min, max);
}

/** Joins parts, without nesting. */
export function sequence(parts: readonly PatternForm[]): PatternForm {
  const flat = parts.flatMap((part) => (part.type === 'sequence' ? part.parts : [part]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { type: 'sequence', parts: flat };
}

/** Returns the alternatives that can match. An empty one makes the others optional. */
export function alternation(options: readonly (PatternForm | undefined)[]): PatternForm | undefined {
  const possible = options.filter((option) => option !== undefined);
  if (possible.length === 0) return undefined;
  const flat = possible.flatMap((option) => (option.type === 'choice' ? option.options : [option]));
  const full = flat.filter((option) => !isEmpty(option));
  const [only] = full;
  if (only === undefined) return EMPTY;
  const joined: PatternForm = full.length === 1 ? only : { type: 'choice', options: full };
  return full.length < flat.length ? repeat(joined, 0, 1) : joined;
}

/**
 * Repeats a part. Without a limit, a turn is never empty: converters take an empty one for an endless
 * recursion.
 */
export function repeat(body: PatternForm, min: number, max: number): PatternForm {
  if (isEmpty(body) || max === 0) return EMPTY;
  if (min === 1 && max === 1) return body;
  if (min === 0 && max === 1 && canBeEmpty(body)) return body;
  if (max !== Number.POSITIVE_INFINITY || !canBeEmpty(body)) return { type: 'repeat', body, min, max };
  const turn = alternation(turnsOf(body));
  return turn === undefined ? EMPTY : { type: 'repeat', body: turn, min: 0, max };
}

/** Alternatives that are never empty, and of which an endless repeat accepts what one of `form` accepts. */
function turnsOf(form: PatternForm): readonly PatternForm[] {
  if (!canBeEmpty(form)) return [form];
  switch (form.type) {
    case 'sequence':
      return form.parts.flatMap(turnsOf);
    case 'choice':
      return form.options.flatMap(turnsOf);
    case 'repeat':
      return turnsOf(form.body);
    case 'set':
      return [form];
    default:
      return form satisfies never;
  }
}

function isEmpty(form: PatternForm): boolean {
  return form.type === 'sequence' && form.parts.length === 0;
}

function canBeEmpty(form: PatternForm): boolean {
  switch (form.type) {
    case 'sequence':
      return form.parts.every(canBeEmpty);
    case 'choice':
      return form.options.some(canBeEmpty);
    case 'repeat':
      return form.min === 0 || canBeEmpty(form.body);
    case 'set':
      return false;
    default:
      return form satisfies never;
  }
}
