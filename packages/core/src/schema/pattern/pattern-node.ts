/** Syntax tree of a pattern, and whether it is anchored. Pure. */
import type { CodeSet } from './code-set.ts';

/** Zero-width assertions: start or end of the text, a word boundary or its negation. */
export type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary';

export type PatternNode =
  | { readonly type: 'set'; readonly set: CodeSet }
  | { readonly type: 'assertion'; readonly assertion: Assertion }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly type: 'repeat';
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      /** Capture groups inside the body: each iteration resets them. */
      readonly firstGroup: number;
      readonly lastGroup: number;
    }
  | { readonly type: 'group'; readonly body: PatternNode; readonly index: number }
  | {
      readonly type: 'look';
      readonly body: PatternNode;
      readonly isBehind: boolean;
      readonly isNegative: boolean;
    }
  | { readonly type: 'reference'; readonly groups: readonly number[] };

export interface ParsedPattern {
  readonly root: PatternNode;
  readonly groupCount: number;
  readonly hasReferences: boolean;
}

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
