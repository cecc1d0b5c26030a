/** Written patterns: a text that a grammar made of a pattern allows. Pure. */
import type { CodeSet } from '../../../packages/core/src/schema/pattern/code-set.ts';
import { parsePattern } from '../../../packages/core/src/schema/pattern/parse-pattern.ts';
import type { PatternNode } from '../../../packages/core/src/schema/pattern/pattern-node.ts';
import type { SeededRandom } from '../../../bench/inputs/seeded-random.ts';

/** Printable ASCII, and a letter beyond it. */
const CODES: readonly number[] = [...Array.from({ length: 95 }, (_, code) => code + 32), 0xe9];
/** Repetitions beyond those that a pattern requires. */
const MORE = 6;

/** Writes a text. */
export function writePattern(source: string, random: SeededRandom): string {
  return textOf(parsePattern(source).root, random);
}

function textOf(node: PatternNode, random: SeededRandom): string {
  switch (node.type) {
    case 'set':
      return String.fromCodePoint(codeIn(node.set, random));
    case 'sequence':
      return node.parts.map((part) => textOf(part, random)).join('');
    case 'choice': {
      const option = random.pick(node.options);
      return option === undefined ? '' : textOf(option, random);
    }
    case 'group':
      return textOf(node.body, random);
    case 'repeat': {
      const { body, min, max } = node;
      const times = min + Math.floor(random.next() * (Math.min(max - min, MORE) + 1));
      return Array.from({ length: times }, () => textOf(body, random)).join('');
    }
    // Anchors. The grammars of engines have no look-arounds and references.
    default:
      return '';
  }
}

function codeIn(set: CodeSet, random: SeededRandom): number {
  return set.only >= 0 ? set.only : (random.pick(CODES.filter((code) => set.has(code))) ?? 0x4e_00);
}
