/** Owns which code points may come first in what remains of a pattern, so that a loop can be run without giving anything back. Pure. */
import type { CodeSet } from './code-set.ts';
import type { PatternNode } from './pattern-node.ts';

/** Sets that the next code point is in; `undefined` when that is not known. The end of the pattern, and `$`, add none. */
export type Follow = readonly CodeSet[] | undefined;

/** Comparing more sets than this would cost more than the loop saves. */
const MAX_SETS = 8;

/** Returns the sets that may come first in `node` and, where it may be empty, in what follows it. */
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

/** Tells whether `set` has surely no code point in common with what follows. */
export function isDisjointFromAll(set: CodeSet, follow: Follow): boolean {
  return follow?.every((other) => set.isDisjointFrom(other)) ?? false;
}

/** Joins what may come first on two ways. */
export function unionSets(left: Follow, right: Follow): Follow {
  if (left === undefined || right === undefined || left.length + right.length > MAX_SETS) return undefined;
  return [...left, ...right];
}
