/** Syntax tree of a pattern. Pure. */
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
