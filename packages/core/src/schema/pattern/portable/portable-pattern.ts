/**
 * Portable pattern: a pattern in the notation that every engine for local models keeps. It accepts what
 * the original accepts, of texts that JSON does not escape. Pure.
 */
import { isAnchored, type PatternNode } from '../pattern-node.ts';
import { shorthandRanges, type CodeRange } from '../code-set.ts';
import { parsePattern } from '../parse-pattern.ts';
import { boundedForm, type TurnBounds } from './bounded-form.ts';
import { choicesIn, expandedSize, lengthsOf, withinLengths, type LengthBounds } from './form-lengths.ts';
import {
  ANY_CHARACTER,
  ANY_TEXT,
  alternation,
  formOf,
  MAX_TURNS,
  sequence,
  type PatternForm,
} from './pattern-form.ts';
import { printForm } from './print-form.ts';

/** Keywords of a string that hold a pattern and the lengths beside it. */
export interface PortablePattern {
  /** Absent if the lengths alone say as much. */
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** False if more texts are accepted than by the original pattern. */
  readonly isExact: boolean;
  /** False if the pattern holds, but not the lengths beside it. */
  readonly holdsLengths: boolean;
  /** True if repeats without a limit got the given one, so that longer texts are held out. */
  readonly isBounded?: boolean;
}

/** A larger pattern costs an engine seconds. */
const MAX_EXPANDED = 4_000;
const MAX_CHARS = 8_000;
/** Uncertain characters of a search. */
const MAX_SEARCHED = 8;

/**
 * Prints a pattern. Returns undefined if it is too large, or if each matching text has a character that
 * JSON escapes.
 *
 * @throws SyntaxError if the pattern is invalid
 */
export function portablePattern(
  source: string,
  lengths: LengthBounds = { min: 0, max: Number.POSITIVE_INFINITY },
  turns?: TurnBounds,
): PortablePattern | undefined {
  const { root } = parsePattern(source);
  const open = openForm(root);
  if (open === undefined) return undefined;
  if (isAnyText(open)) return onlyLengths(open.form, lengths);
  const bounded = turns === undefined ? open.form : withTurns(open.form, turns);
  const isBounded = bounded !== open.form;
  const { form, isHeld } = fitted(bounded, lengths);
  if (expandedSize(form) > MAX_EXPANDED || isCostlySearch(form)) return undefined;
  const text = printForm(form);
  if (text.length > MAX_CHARS) return undefined;
  return {
    pattern: `^${form.type === 'choice' ? `(${text})` : text}$`,
    isExact: open.isExact,
    holdsLengths: isHeld,
    ...(isBounded && { isBounded }),
  };
}

/**
 * Returns true if a long match is searched for in free text. An engine that prepares for each place where it
 * can begin needs exponential time: xgrammar did not end for `RL[a-zA-Z0-9]{32}`.
 */
function isCostlySearch(form: PatternForm): boolean {
  const options = form.type === 'choice' ? form.options : [form];
  return options.some((option) => {
    const [first, ...rest] = option.type === 'sequence' ? option.parts : [option];
    return first?.type === 'repeat' && isAny(first.body) && choicesIn(sequence(rest)) > MAX_SEARCHED;
  });
}

/** Gives each endless repeat a limit. Returns the form unchanged if it has none, or if the result is too large. */
function withTurns(form: PatternForm, { characters, groups }: TurnBounds): PatternForm {
  if (!Number.isFinite(lengthsOf(form).max)) {
    const bounded = boundedForm(form, ({ type }) => (type === 'set' ? characters : groups));
    if (expandedSize(bounded) <= MAX_EXPANDED) return bounded;
  }
  return form;
}

/** Lengths that make a pattern too large are left out. No repeat is endless in a text that has an end. */
function fitted(form: PatternForm, lengths: LengthBounds): ReturnType<typeof withinLengths> {
  const fit = withinLengths(form, lengths);
  if (expandedSize(fit.form) > MAX_EXPANDED) return { form, isHeld: false };
  const { max } = lengths;
  if (max === Number.POSITIVE_INFINITY) return fit;
  const ended = boundedForm(fit.form, (body) => Math.floor(max / Math.max(1, lengthsOf(body).min)));
  return expandedSize(ended) > MAX_EXPANDED ? fit : { form: ended, isHeld: fit.isHeld };
}

/** The form of a whole text. */
interface OpenForm {
  readonly form: PatternForm;
  readonly isExact: boolean;
  /** True if a text can go on before or after the match. */
  readonly isOpen: boolean;
}

/** A pattern is found anywhere in a text, so that free text is before and after it. */
function openForm(root: PatternNode): OpenForm | undefined {
  const options = root.type === 'choice' ? root.options : [root];
  let isExact = true;
  let isOpen = false;
  const forms = options.map((option) => {
    const [isStart, isEnd] = [isAnchored(option, 'start'), isAnchored(option, 'end')];
    const found = formOf(withoutAnchors(option));
    isExact &&= found.isExact;
    isOpen ||= !isStart || !isEnd;
    return found.form === undefined ? undefined : openAt(found.form, isStart, isEnd);
  });
  const form = alternation(forms);
  return form === undefined ? undefined : { form, isExact, isOpen };
}

function openAt(form: PatternForm, isStart: boolean, isEnd: boolean): PatternForm {
  const parts = form.type === 'sequence' ? form.parts : [form];
  const opens = (part: PatternForm | undefined): boolean => part === undefined || !isEndless(part);
  const before = !isStart && opens(parts[0]) ? [ANY_TEXT] : [];
  const after = !isEnd && opens(parts.at(-1) ?? before[0]) ? [ANY_TEXT] : [];
  return sequence([...before, ...parts, ...after]);
}

/** Free text beside free text could be matched in many ways. */
function isEndless(part: PatternForm): boolean {
  return (
    part.type === 'repeat' && part.min === 0 && part.max === Number.POSITIVE_INFINITY && isAny(part.body)
  );
}

/** Anchors at the ends of a pattern are printed with it, so that they lose nothing. */
function withoutAnchors(node: PatternNode): PatternNode {
  if (node.type === 'assertion' && (node.assertion === 'start' || node.assertion === 'end')) {
    return { type: 'sequence', parts: [] };
  }
  if (node.type !== 'sequence') return node;
  const isEdge = (part: PatternNode | undefined, assertion: string): boolean =>
    part?.type === 'assertion' && part.assertion === assertion;
  const from = isEdge(node.parts[0], 'start') ? 1 : 0;
  const to = node.parts.length - (isEdge(node.parts.at(-1), 'end') ? 1 : 0);
  return { type: 'sequence', parts: node.parts.slice(from, Math.max(from, to)) };
}

const LINE_SEPARATORS: readonly CodeRange[] = [[0x20_28, 0x20_29]];

/** Returns true if a set has all characters, except those of `without`. */
function isAny(form: PatternForm, without: readonly CodeRange[] = LINE_SEPARATORS): boolean {
  if (form.type !== 'set' || ANY_CHARACTER.type !== 'set') return false;
  return ANY_CHARACTER.ranges.every(([first, last]) => isCovered(first, last, [...form.ranges, ...without]));
}

function isCovered(first: number, last: number, ranges: readonly CodeRange[]): boolean {
  let next = first;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from > next) break;
    next = Math.max(next, to + 1);
  }
  return next > last;
}

/**
 * Returns true if a pattern says no more than a length, or than that a text is not blank. As a pattern
 * it would hold out quotes and line ends.
 */
function isAnyText({ form, isOpen }: OpenForm): boolean {
  const without = isOpen ? [...LINE_SEPARATORS, ...(shorthandRanges('s') ?? [])] : LINE_SEPARATORS;
  const isFree = (part: PatternForm): boolean => {
    switch (part.type) {
      case 'set':
        return isAny(part, without);
      case 'sequence':
        return part.parts.every(isFree);
      case 'choice':
        return false;
      case 'repeat':
        return isFree(part.body) && lengthsOf(part.body).max === 1;
      default:
        return part satisfies never;
    }
  };
  return isFree(form);
}

function onlyLengths(form: PatternForm, lengths: LengthBounds): PortablePattern {
  const own = lengthsOf(form);
  const min = Math.max(own.min, lengths.min);
  const max = Math.min(own.max, lengths.max);
  return {
    ...(min > 0 && { minLength: min }),
    ...(max <= MAX_TURNS && { maxLength: max }),
    isExact: false,
    holdsLengths: max <= MAX_TURNS || lengths.max === Number.POSITIVE_INFINITY,
  };
}
