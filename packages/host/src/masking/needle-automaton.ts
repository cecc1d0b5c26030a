/**
 * Aho-Corasick automaton: finds all known values and shape prefixes in one pass over a text.
 *
 * A character costs one step, plus failure links that are amortized over the text: at most two steps for each character
 * (Aho and Corasick, 1975, https://doi.org/10.1145/360825.360855).
 */
import { GramFilter } from './gram-filter.ts';
import type { TokenShape } from './token-shapes.ts';

/** A shape whose prefix ends at a node, with the length of that prefix. */
export interface ShapeStart {
  readonly shape: TokenShape;
  readonly prefixChars: number;
}

const NO_STARTS: readonly ShapeStart[] = [];
const CODE_UNITS = 65_536;

/** An automaton. Node 0 is its root. */
export class NeedleAutomaton {
  readonly #children = new Map<number, number>();
  readonly #parents: number[] = [0];
  readonly #codes: number[] = [0];
  readonly #depths: number[] = [0];
  readonly #fails: number[] = [0];
  readonly #isInNeedle: boolean[] = [false];
  readonly #longest: number[] = [0];
  readonly #literal: number[] = [0];
  /** Whether a needle or a prefix goes on with a line break at this node or at its failure links. */
  readonly #breaks: boolean[] = [false];
  readonly #starts: (readonly ShapeStart[])[] = [NO_STARTS];
  readonly #filter: GramFilter;
  /** Number of steps that `next` took. Tests check their limit. */
  steps = 0;

  constructor(needles: ReadonlySet<string>, shapes: readonly TokenShape[]) {
    this.#filter = new GramFilter([...needles, ...shapes.flatMap(({ prefixes }) => prefixes)]);
    for (const needle of needles) this.#longest[this.#insert(needle, true)] = needle.length;
    for (const shape of shapes) {
      for (const prefix of shape.prefixes) {
        const node = this.#insert(prefix, false);
        this.#starts[node] = [...(this.#starts[node] ?? NO_STARTS), { shape, prefixChars: prefix.length }];
      }
    }
    this.#link();
  }

  /** Returns the node after one more UTF-16 code unit. */
  next(from: number, code: number): number {
    let node = from;
    for (;;) {
      this.steps += 1;
      const child = this.#children.get(node * CODE_UNITS + code);
      if (child !== undefined) return child;
      if (node === 0) return 0;
      node = this.#fails[node] ?? 0;
    }
  }

  /** Positions of a text where a needle or prefix can begin, in ascending order, without the last two. */
  possibleStarts(text: string): readonly number[] {
    return this.#filter.starts(text);
  }

  /** Length of the text that led to a node. */
  depth(node: number): number {
    return this.#depths[node] ?? 0;
  }

  /** Length of the longest known value that ends here, or 0. */
  matchLength(node: number): number {
    return this.#longest[node] ?? 0;
  }

  /** Length of the longest prefix of a known value that ends here. */
  begunLength(node: number): number {
    return this.#literal[node] ?? 0;
  }

  /** Tells whether a line break is a character of a value or prefix that is begun here. */
  takesBreak(node: number): boolean {
    return this.#breaks[node] ?? false;
  }

  shapeStarts(node: number): readonly ShapeStart[] {
    return this.#starts[node] ?? NO_STARTS;
  }

  #insert(text: string, isNeedle: boolean): number {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const key = node * CODE_UNITS + text.charCodeAt(at);
      let child = this.#children.get(key);
      if (child === undefined) {
        child = this.#depths.push(at + 1) - 1;
        this.#children.set(key, child);
        this.#parents.push(node);
        this.#codes.push(text.charCodeAt(at));
        this.#fails.push(0);
        this.#isInNeedle.push(false);
        this.#longest.push(0);
        this.#literal.push(0);
        this.#breaks.push(false);
        this.#starts.push(NO_STARTS);
        if (isLineBreak(text.charCodeAt(at))) this.#breaks[node] = true;
      }
      if (isNeedle) this.#isInNeedle[child] = true;
      node = child;
    }
    return node;
  }

  /** Sets failure links, shallow nodes first. */
  #link(): void {
    const byDepth: number[][] = [];
    for (let node = 1; node < this.#depths.length; node += 1) {
      (byDepth[this.#depths[node] ?? 0] ??= []).push(node);
    }
    for (const node of byDepth.flatMap((nodes) => nodes)) {
      const parent = this.#parents[node] ?? 0;
      const fail = parent === 0 ? 0 : this.next(this.#fails[parent] ?? 0, this.#codes[node] ?? 0);
      this.#fails[node] = fail;
      if (this.matchLength(node) === 0) this.#longest[node] = this.matchLength(fail);
      this.#literal[node] =
        this.#isInNeedle[node] === true ? (this.#depths[node] ?? 0) : this.begunLength(fail);
      this.#breaks[node] ||= this.takesBreak(fail);
      const inherited = this.shapeStarts(fail);
      if (inherited.length > 0) this.#starts[node] = [...this.shapeStarts(node), ...inherited];
    }
    this.steps = 0;
  }
}

/** Tells whether a code unit is a carriage return or a line feed. */
export function isLineBreak(code: number): boolean {
  return code === 13 || code === 10;
}
