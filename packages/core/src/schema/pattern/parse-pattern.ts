/** Parser for ECMAScript patterns. Pure. Bracket classes and escapes are in `parse-escape.ts`. */
import { ANY_BUT_LINE_ENDS, CodeSet } from './code-set.ts';
import { readClass, readEscape } from './parse-escape.ts';
import type { ParsedPattern, PatternNode } from './pattern-node.ts';
import { PatternReader } from './pattern-reader.ts';

/** Maximum nesting of groups: the parser recurses once per group. */
const MAX_GROUP_DEPTH = 100;

const EMPTY: PatternNode = { type: 'sequence', parts: [] };

/**
 * Parses a pattern with the `u` flag or, if it is invalid with that flag, without it. A character
 * is a code point in both modes.
 *
 * The engine's own parser checks the syntax first, so the accepted patterns are those of `RegExp`.
 * `RegExp` never runs a pattern.
 *
 * @throws SyntaxError if it is invalid, or unsupported (modifiers, groups more than 100 deep)
 */
export function parsePattern(source: string): ParsedPattern {
  const reader = new PatternReader(source, hasUnicodeSyntax(source));
  const root = parseChoice(reader, 0);
  const groupsOf = (name: string | number): readonly number[] =>
    typeof name === 'number' ? [name] : (reader.groupNames.get(name) ?? []);
  return {
    root: reader.pendingReferences.length === 0 ? root : resolveReferences(root, groupsOf, reader),
    groupCount: reader.groupCount,
    hasReferences: reader.pendingReferences.length > 0,
  };
}

function hasUnicodeSyntax(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode;
  } catch {
    // Escapes such as `\-` are errors with the flag, and common in schemas: the pattern is then
    // parsed without it.
    return new RegExp(source).unicode;
  }
}

function parseChoice(reader: PatternReader, depth: number): PatternNode {
  if (depth > MAX_GROUP_DEPTH) throw new SyntaxError(`Groups are more than ${MAX_GROUP_DEPTH} deep`);
  const options = [parseSequence(reader, depth)];
  while (reader.take('|')) options.push(parseSequence(reader, depth));
  return options.length === 1 ? (options[0] ?? EMPTY) : { type: 'choice', options };
}

function parseSequence(reader: PatternReader, depth: number): PatternNode {
  const parts: PatternNode[] = [];
  while (!reader.isAtEnd() && !reader.sees('|') && !reader.sees(')')) {
    const firstGroup = reader.groupCount + 1;
    const atom = parseAtom(reader, depth);
    parts.push(parseQuantifier(reader, atom, firstGroup));
  }
  return parts.length === 1 ? (parts[0] ?? EMPTY) : { type: 'sequence', parts };
}

function parseAtom(reader: PatternReader, depth: number): PatternNode {
  if (reader.take('^')) return { type: 'assertion', assertion: 'start' };
  if (reader.take('$')) return { type: 'assertion', assertion: 'end' };
  if (reader.take('.')) return { type: 'set', set: ANY_BUT_LINE_ENDS };
  if (reader.take('(')) return parseGroup(reader, depth);
  if (reader.take('[')) return { type: 'set', set: readClass(reader) };
  if (reader.take('\\')) return readEscape(reader);
  const codePoint = reader.takeCodePoint();
  return { type: 'set', set: new CodeSet({ ranges: [[codePoint, codePoint]] }) };
}

function parseGroup(reader: PatternReader, depth: number): PatternNode {
  if (!reader.take('?')) return closeCapture(reader, depth, undefined);
  if (reader.take(':')) return close(reader, parseChoice(reader, depth + 1));
  const isBehind = reader.sees('<=') || reader.sees('<!');
  if (isBehind) reader.take('<');
  if (reader.sees('=') || reader.sees('!')) {
    const isNegative = !reader.take('=') && reader.take('!');
    return close(reader, { type: 'look', isBehind, isNegative, body: parseChoice(reader, depth + 1) });
  }
  if (reader.take('<')) return closeCapture(reader, depth, reader.takeName());
  throw new SyntaxError('Modifiers such as `(?i:…)` are not supported');
}

function closeCapture(reader: PatternReader, depth: number, groupName: string | undefined): PatternNode {
  const index = reader.openGroup(groupName);
  return close(reader, { type: 'group', index, body: parseChoice(reader, depth + 1) });
}

function close<TNode extends PatternNode>(reader: PatternReader, node: TNode): TNode {
  if (!reader.take(')')) throw new SyntaxError('Unterminated group');
  return node;
}

function parseQuantifier(reader: PatternReader, body: PatternNode, firstGroup: number): PatternNode {
  const bounds = takeBounds(reader);
  if (bounds === undefined) return body;
  const isLazy = reader.take('?');
  return { type: 'repeat', body, ...bounds, isLazy, firstGroup, lastGroup: reader.groupCount };
}

function takeBounds(reader: PatternReader): { readonly min: number; readonly max: number } | undefined {
  if (reader.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (reader.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (reader.take('?')) return { min: 0, max: 1 };
  const braces = reader.takeMatch(/\{(\d+)(?:(,)(\d*))?\}/y);
  if (braces === undefined) return undefined;
  const [, min, comma, max] = braces;
  if (comma === undefined) return { min: Number(min), max: Number(min) };
  return {
    min: Number(min),
    max: max === undefined || max === '' ? Number.POSITIVE_INFINITY : Number(max),
  };
}

/** A reference can precede its group, so names are resolved at the end. */
function resolveReferences(
  node: PatternNode,
  groupsOf: (name: string | number) => readonly number[],
  reader: PatternReader,
): PatternNode {
  const resolve = (part: PatternNode): PatternNode => resolveReferences(part, groupsOf, reader);
  switch (node.type) {
    case 'reference': {
      const [pending = -1] = node.groups;
      const target = reader.pendingReferences[pending];
      return { type: 'reference', groups: target === undefined ? [] : groupsOf(target) };
    }
    case 'sequence':
      return { ...node, parts: node.parts.map(resolve) };
    case 'choice':
      return { ...node, options: node.options.map(resolve) };
    case 'repeat':
    case 'group':
    case 'look':
      return { ...node, body: resolve(node.body) };
    case 'set':
    case 'assertion':
      return node;
    default:
      return node satisfies never;
  }
}
