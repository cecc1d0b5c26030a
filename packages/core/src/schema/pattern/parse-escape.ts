/** Parser for escapes and bracket classes. Pure. */
import { CodeSet, shorthandRanges } from './code-set.ts';
import type { CodeRange } from './code-set.ts';
import type { PatternNode } from './pattern-node.ts';
import type { PatternReader } from './pattern-reader.ts';

/** One member of a class: one code point, or several. */
type ClassMember =
  | { readonly codePoint: number }
  | { readonly ranges: readonly CodeRange[] }
  | { readonly test: (codePoint: number) => boolean };

/** Cache with one expression per property name. The number of names is finite. */
const PROPERTIES = new Map<string, RegExp>();

const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

/** Parses an escape outside brackets, after its backslash. */
export function readEscape(reader: PatternReader): PatternNode {
  if (reader.take('b')) return { type: 'assertion', assertion: 'boundary' };
  if (reader.take('B')) return { type: 'assertion', assertion: 'no-boundary' };
  const target = takeReference(reader);
  if (target !== undefined) {
    reader.pendingReferences.push(target);
    return { type: 'reference', groups: [reader.pendingReferences.length - 1] };
  }
  return { type: 'set', set: setOf([readMember(reader)], false) };
}

/** Parses a class, after its opening bracket. */
export function readClass(reader: PatternReader): CodeSet {
  const isNegative = reader.take('^');
  const members: ClassMember[] = [];
  while (!reader.take(']')) {
    const first = readClassMember(reader);
    if (!reader.sees('-') || reader.sees('-]')) {
      members.push(first);
      continue;
    }
    reader.take('-');
    const last = readClassMember(reader);
    if ('codePoint' in first && 'codePoint' in last) {
      members.push({ ranges: [[first.codePoint, last.codePoint]] });
    } else {
      // Without the `u` flag, a hyphen beside a class such as `\w` is a member.
      members.push(first, { codePoint: 0x2d }, last);
    }
  }
  return setOf(members, isNegative);
}

function readClassMember(reader: PatternReader): ClassMember {
  if (!reader.take('\\')) return { codePoint: reader.takeCodePoint() };
  if (reader.take('b')) return { codePoint: 0x08 };
  return readMember(reader);
}

function setOf(members: readonly ClassMember[], isNegative: boolean): CodeSet {
  const ranges: CodeRange[] = [];
  const tests: ((codePoint: number) => boolean)[] = [];
  for (const member of members) {
    if ('codePoint' in member) ranges.push([member.codePoint, member.codePoint]);
    else if ('ranges' in member) ranges.push(...member.ranges);
    else tests.push(member.test);
  }
  return new CodeSet({ ranges, tests, isNegative });
}

function takeReference(reader: PatternReader): string | number | undefined {
  if (reader.sees('k<') && (reader.isUnicode || reader.hasNamedGroups()) && reader.take('k<')) {
    return reader.takeName();
  }
  return reader.takeReferenceNumber();
}

function readMember(reader: PatternReader): ClassMember {
  const property = reader.isUnicode
    ? reader.takeMatch(/([pP])\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}/y)
    : undefined;
  if (property !== undefined) return { test: propertyTest(property[1] === 'P', property[2] ?? '') };
  const codePoint = takeNumericEscape(reader);
  if (codePoint !== undefined) return { codePoint };
  const escaped = reader.takeCodePoint();
  const letter = String.fromCodePoint(escaped);
  const ranges = shorthandRanges(letter);
  return ranges === undefined ? { codePoint: CONTROLS[letter] ?? escaped } : { ranges };
}

/** Counts possible Unicode properties in a pattern before it is parsed. */
export function countProperties(source: string): number {
  return source.match(/\\[pP]/g)?.length ?? 0;
}

/**
 * A property of one code point is tested by the engine's RegExp, whose tables are always available.
 * It cannot backtrack.
 */
function propertyTest(isNegative: boolean, name: string): (codePoint: number) => boolean {
  const expression = PROPERTIES.get(name) ?? new RegExp(`^\\p{${name}}$`, 'u');
  PROPERTIES.set(name, expression);
  return (codePoint) => expression.test(String.fromCodePoint(codePoint)) !== isNegative;
}

function takeNumericEscape(reader: PatternReader): number | undefined {
  const braced = reader.isUnicode ? reader.takeMatch(/u\{([0-9a-fA-F]+)\}/y) : undefined;
  if (braced !== undefined) return Number.parseInt(braced[1] ?? '', 16);
  const pair = reader.takeMatch(/u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y);
  if (pair !== undefined) {
    return String.fromCharCode(
      Number.parseInt(pair[1] ?? '', 16),
      Number.parseInt(pair[2] ?? '', 16),
    ).codePointAt(0);
  }
  const hexadecimal = reader.takeMatch(/u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})/y);
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '', 16);
  const control = reader.takeMatch(/c([A-Za-z])/y)?.[1];
  if (control !== undefined) return (control.codePointAt(0) ?? 0) % 32;
  const octal = reader.takeMatch(/[0-3][0-7]{0,2}|[4-7][0-7]?/y)?.[0];
  return octal === undefined ? undefined : Number.parseInt(octal, 8);
}
