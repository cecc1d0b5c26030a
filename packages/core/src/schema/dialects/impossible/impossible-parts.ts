/**
 * Impossible parts: the parts of a schema that no JSON value fits. A part is possible as soon as its
 * members are, so an endless recursion without an end is impossible. Never wrong about a part that
 * some value fits. Pure.
 */
import { isRecord } from '../../../kit/is-record.ts';
import { detectDialect } from '../../engine/evaluation/dialect.ts';
import { isNever } from '../analysis/is-never.ts';
import { ReferenceIndex } from '../analysis/reference-index.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import { childrenOf, type DialectNode } from '../analysis/schema-rule.ts';
import { NO_VALUE, type DeadEnd, type ImpossiblePart, type PartsPort } from './bounds.ts';
import { judgePart } from './judge-part.ts';

/** A schema that costs more is not judged: all of the parts count as possible. */
const MAX_WORK = 3_000_000;

/** Resolves the references of a document. */
type References = Pick<ReferenceIndex, 'find'>;

/** Judges the parts of one document, and parts that are merged from them. */
export class ImpossibleParts implements PartsPort {
  readonly ignoresRefSiblings: boolean;
  readonly #references: References;
  readonly #places = new Map<unknown, SchemaPath>();
  readonly #possible = new Set<unknown>();
  readonly #deadEnds = new Map<unknown, DeadEnd>();
  #followsReferences = true;
  #workLeft = MAX_WORK;

  constructor(root: unknown, references: References = new ReferenceIndex(root)) {
    this.#references = references;
    this.ignoresRefSiblings = detectDialect(root).ignoresRefSiblings;
    if (isRecord(root)) this.#judge(root);
  }

  /** Returns true if no value fits the part. */
  has(schema: unknown): boolean {
    if (isRecord(schema) && !this.#places.has(schema)) this.#judge(schema);
    return this.isImpossible(schema);
  }

  /** Returns the path of a judged part. Undefined for another object. */
  placeOf(schema: unknown): SchemaPath | undefined {
    return this.#places.get(schema);
  }

  isImpossible(schema: unknown): boolean {
    if (!isRecord(schema)) return isNever(schema);
    return this.#places.has(schema) && !this.#possible.has(schema);
  }

  resolve(reference: unknown): unknown {
    if (!this.#followsReferences || typeof reference !== 'string') return undefined;
    return this.#references.find(reference)?.schema;
  }

  /** Returns the deepest cause why no value fits a part. Undefined if one could. */
  explain(schema: unknown): ImpossiblePart | undefined {
    if (!this.has(schema)) return undefined;
    const seen = new Set<unknown>();
    let part = schema;
    let path = this.#places.get(schema) ?? [];
    for (;;) {
      seen.add(part);
      const { why, cure, at = [], inner } = this.#deadEnds.get(part) ?? NO_VALUE;
      path = this.#places.get(inner) ?? [...path, ...at];
      if (inner === undefined || !isRecord(inner)) return { path, why, cure };
      const below = this.#deadEnds.get(inner);
      // A part that refers to another one has the cause there.
      part = inner;
      if (below !== undefined && seen.has(inner)) return { path, ...ENDLESS };
    }
  }

  /** Counts work. Beyond the limit, nothing is impossible. */
  spend(units: number): void {
    this.#workLeft -= units;
    if (this.#workLeft < 0) throw new TooMuchWork();
  }

  /** Judges a part and those inside that are not judged yet. */
  #judge(root: SchemaObject): void {
    const nodes: DialectNode[] = [];
    try {
      this.#collect(root, nodes);
      while (this.#judgeAll(nodes));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      for (const { schema } of nodes) this.#possible.add(schema);
    }
  }

  /** Judges each part that is not possible yet, inner ones first. Returns true if one became possible. */
  #judgeAll(nodes: readonly DialectNode[]): boolean {
    let isChanged = false;
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const schema = nodes[index]?.schema;
      if (schema === undefined || this.#possible.has(schema)) continue;
      const deadEnd = judgePart(schema, this);
      if (deadEnd !== undefined) {
        this.#deadEnds.set(schema, deadEnd);
        continue;
      }
      this.#possible.add(schema);
      isChanged = true;
    }
    return isChanged;
  }

  /** Collects the new parts. A schema with ids of its own can give its references another meaning. */
  #collect(root: SchemaObject, nodes: DialectNode[]): void {
    nodes.push({ schema: root, path: [], depth: 0 });
    this.#places.set(root, []);
    for (const node of nodes) {
      this.spend(6 + node.path.length);
      if (node.path.length > 0 && ('$id' in node.schema || 'id' in node.schema)) {
        this.#followsReferences = false;
      }
      for (const child of childrenOf(node)) {
        if (this.#places.has(child.schema)) continue;
        this.#places.set(child.schema, child.path);
        nodes.push(child);
      }
    }
  }
}

class TooMuchWork extends Error {}

const ENDLESS = {
  why: 'it contains itself, and no value of it ends',
  cure: 'Make the reference optional, or let it be `null`.',
} as const;
