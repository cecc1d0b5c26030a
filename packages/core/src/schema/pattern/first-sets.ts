/** First sets of the rest of a pattern, so that a loop can run without backtracking. Pure. */
import type { CodeSet } from './code-set.ts';
import type { PatternNode } from './pattern-node.ts';

/**
 * Sets that contain the next code point; `undefined` if unknown. The end of the pattern, and `$`,
 * add none.
 */
export type Follow = readonly CodeSet[] | undefined;

/** Comparing more sets would cost more than the loop saves. */
const MAX_SETS = 8;

/** Returns the first sets of `node` and, if it can be empty, of the continuation. */
export function firstSets(node: PatternNode, follow: Follow): Follow {
  switch (node.type) {
    case 'set':
      return [node.set];
    case 'assertion':
      return node.assertion === 'end' ? [] : undefined;
    case 'sequence':
      return node.parts.reduceRight<Follow>((after, part) => firstSets(part, after), follow);
    case 'choice':
      return node.options.reduce<Follow>((sets, option) => unionSets(sets, firstSets(option, follow)), []);
    case 'repeat':
      return unionSets(firstSets(node.body, follow), node.min === 0 ? follow : []);
    case 'group':
      return firstSets(node.body, follow);
    case 'look':
    case 'reference':
      return undefined;
    default:
      return node satisfies never;
  }
}

/** Returns true if `set` is certainly disjoint from the continuation. */
export function isDisjointFromAll(set: CodeSet, follow: Follow): boolean {
  return follow?.every((other) => set.isDisjointFrom(other)) ?? false;
}

/** Joins the first sets of two branches. */
export function unionSets(left: Follow, right: Follow): Follow {
  if (left === undefined || right === undefined || left.length + right.length > MAX_SETS) return undefined;
  return [...left, ...right];
}
