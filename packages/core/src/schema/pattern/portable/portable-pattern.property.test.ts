/** The printed pattern accepts what the original accepts, in the notation of every engine. */
import * as valibot from 'valibot';
import { type } from 'arktype';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../../../test/matrix.ts';
import { z } from 'zod';
import type { CodeSet } from '../code-set.ts';
import { parsePattern } from '../parse-pattern.ts';
import type { PatternNode } from '../pattern-node.ts';
import { createPattern } from '../pattern.ts';
import { portablePattern } from './portable-pattern.ts';
import { PUBLIC_PATTERNS } from './test-public-patterns.ts';
import cases from '../../engine/keyword-cases.json' with { type: 'json' };

const EXTRA = Array.from('aZ09 -_.:/@~é💡');

const meter = { spend: (): void => undefined };
/** Parts of a pattern: plain characters, classes, groups and repeats. */
const NOTATION =
  /^\^(?:[A-Za-z0-9 _@:;,=!%&#~`'<>/-]|\[\^?(?:\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|[^\\"\]\p{Cc}])+\]|[()|*+?]|\{\d{1,4}(?:,\d{0,4})?\})*\$$/u;

function zodPatterns(): readonly string[] {
  return Object.values(z.regexes).flatMap((pattern) => (pattern instanceof RegExp ? [pattern.source] : []));
}

function valibotPatterns(): readonly string[] {
  return Object.values(valibot).flatMap((pattern) => (pattern instanceof RegExp ? [pattern.source] : []));
}

function arktypePatterns(): readonly string[] {
  const found: string[] = [];
  const names = Object.keys(type.keywords.string).map((name) => `string.${name}`);
  for (const name of names) {
    try {
      const schema: unknown = type(name as 'string').toJsonSchema();
      JSON.stringify(schema, (key, value: unknown) => {
        if (key === 'pattern' && typeof value === 'string') found.push(value);
        return value;
      });
    } catch {
      // A morph has no schema.
    }
  }
  return found;
}

function casePatterns(): readonly string[] {
  const found: string[] = [];
  JSON.stringify(cases, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}

function agrees(source: string, runs: number): void {
  const printed = portablePattern(source);
  if (printed === undefined) return;
  const { pattern = '^[^]*$', minLength = 0, maxLength = Infinity, isExact } = printed;
  if (printed.pattern !== undefined) expect(pattern).toMatch(NOTATION);
  const own = createPattern(source);
  // `RegExp` could backtrack for hours.
  const held = createPattern(new RegExp(pattern, 'u').source);
  fc.assert(
    fc.property(textsFor(source), (text) => {
      if (!isPlainInJson(text)) return;
      const length = Array.from(text).length;
      const isHeld = held.matches(text, meter) && length >= minLength && length <= maxLength;
      const isRight = own.matches(text, meter);
      if (isRight) expect([text, isHeld]).toEqual([text, true]);
      else if (isExact) expect([text, isHeld]).toEqual([text, false]);
    }),
    { numRuns: runs, seed: 20_261_126 },
  );
  // Printing is its own inverse.
  if (printed.pattern !== undefined) expect(portablePattern(pattern)?.pattern).toBe(pattern);
}

describe.each([
  ['a public schema', PUBLIC_PATTERNS, 70],
  ['a format of Zod', zodPatterns(), 30],
  ['a format of Valibot', valibotPatterns(), 30],
  ['a format of ArkType', arktypePatterns(), 8],
  ['a case of our own schema tests', casePatterns(), 5],
] as const)('a pattern of %s', (_, patterns, least) => {
  it('is one of many', () => {
    expect(patterns.length).toBeGreaterThanOrEqual(least);
  });

  it.each(patterns.map((source) => [source] as const))('keeps what it accepts: %s', (source) => {
    agrees(source, 100);
  });
});

const ATOMS = [
  'a',
  'b',
  '-',
  '.',
  '[ab.]',
  '[^a]',
  String.raw`\d`,
  String.raw`\w`,
  String.raw`\S`,
  'é',
  '💡',
  String.raw`\n`,
  '[]',
];
const generated: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,3}', '{0}'))
      .map(([body, turns]) => `(${body})${turns}`),
    tie('pattern').map((body) => `(|${body})`),
  ),
})).pattern;

const anchored = fc
  .tuple(fc.constantFrom('', '^'), generated, fc.constantFrom('', '$'))
  .map((parts) => parts.join(''));

it('any pattern keeps what it accepts', () => {
  fc.assert(
    fc.property(anchored, (source) => {
      agrees(source, 15);
    }),
    { numRuns: matrixRuns(150, 800), seed: 20_261_126 },
  );
});

it('a repeat without a limit never has an empty turn, which converters take for an endless recursion', () => {
  fc.assert(
    fc.property(anchored, (source) => {
      const pattern = portablePattern(source)?.pattern ?? '';
      for (const [, body = ''] of pattern.matchAll(/\(((?:[^()[\]]|\[[^\]]*\])*)\)[*+]/gu)) {
        expect([pattern, new RegExp(`^(?:${body})$`, 'u').test('')]).toEqual([pattern, false]);
      }
    }),
    { numRuns: matrixRuns(250, 1_500), seed: 20_261_126 },
  );
});

/** Texts that mostly match: assertions and references are followed by chance only. */
function textsFor(source: string): fc.Arbitrary<string> {
  const matching = follow(parsePattern(source).root, 0);
  const edge = fc.string({ unit: fc.constantFrom(...EXTRA), maxLength: 4 });
  return fc.oneof(
    matching,
    fc.tuple(edge, matching, edge).map((parts) => parts.join('')),
    fc.tuple(matching, fc.nat(), fc.constantFrom('', ...EXTRA)).map(([text, at, put]) => {
      const characters = Array.from(text);
      characters.splice(at % (characters.length + 1), 1, put);
      return characters.join('');
    }),
    edge,
  );
}

/** Returns true if JSON writes a text unchanged. */
function isPlainInJson(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

function follow(node: PatternNode, depth: number): fc.Arbitrary<string> {
  switch (node.type) {
    case 'set':
      return memberOf(node.set);
    case 'sequence':
      return fc.tuple(...node.parts.map((part) => follow(part, depth))).map((parts) => parts.join(''));
    case 'choice':
      return fc.oneof(...node.options.map((option) => follow(option, depth)));
    case 'repeat': {
      const most = Math.min(node.max, node.min + (depth > 2 ? 1 : 4));
      return fc
        .array(follow(node.body, depth + 1), { minLength: node.min, maxLength: most })
        .map((parts) => parts.join(''));
    }
    case 'group':
      return follow(node.body, depth);
    case 'assertion':
    case 'look':
    case 'reference':
      return fc.constant('');
    default:
      return node satisfies never;
  }
}

function memberOf(set: CodeSet): fc.Arbitrary<string> {
  const { ranges } = set.outline();
  const members = ranges.flatMap(([first, last]) => {
    const middle = (first + last) >> 1;
    return [first, last, middle, first + 1, Math.min(last, first + 20)].filter(
      (code) => code >= first && code <= last && set.has(code) && !(code >= 0xd8_00 && code <= 0xdf_ff),
    );
  });
  return members.length === 0
    ? fc.constant('')
    : fc.constantFrom(...new Set(members)).map((code) => String.fromCodePoint(code));
}
