/** Anchors: whether a pattern matches only at the start or the end of a text. Pure. */
import type { PatternNode } from './pattern-node.ts';

/** Returns true if each match of a part begins at the start, or ends at the end, of the text. */
export function isAnchored(node: PatternNode, at: 'start' | 'end'): boolean {
  switch (node.type) {
    case 'assertion':
      return node.assertion === at;
    case 'sequence': {
      const inOrder = at === 'start' ? node.parts : node.parts.toReversed();
      const first = inOrder.find(
        (part) => part.type !== 'look' && !(part.type === 'assertion' && part.assertion !== at),
      );
      return first !== undefined && isAnchored(first, at);
    }
    case 'choice':
      return node.options.every((option) => isAnchored(option, at));
    case 'group':
      return isAnchored(node.body, at);
    case 'repeat':
      return node.min > 0 && isAnchored(node.body, at);
    case 'set':
    case 'look':
    case 'reference':
      return false;
    default:
      return node satisfies never;
  }
}
