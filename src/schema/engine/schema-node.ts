/** Owns a compiled schema: which kinds of values it takes, and what it checks of each. Pure. */
import { ANY, ARRAY, NUMBER, OBJECT, STRING } from './json-kind.ts';
import type { ValidationRun } from './validation-run.ts';

/** Tells whether `value` holds, reporting to the run why not. Only called with kinds it was added for. */
export type Check = (value: unknown, run: ValidationRun) => boolean;

/** A schema with an identifier of its own, and the names that can be referred to in it. */
export interface SchemaResource {
  readonly uri: string;
  /** The schema as it is written. */
  readonly root: unknown;
  readonly anchors: Map<string, SchemaNode>;
  /** Names that a dynamic reference may find; the empty one stands for `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

const NO_CHECKS: readonly Check[] = [];
const NO_NODES: readonly SchemaNode[] = [];

/** A compiled schema; it is complete when the compilation is. */
export class SchemaNode {
  readonly resource: SchemaResource;
  /** Bits of the kinds that are taken. */
  kinds: number = ANY;
  /** Whether `unevaluatedProperties` or `unevaluatedItems` stands in it. */
  tracksEvaluated = false;
  /** Schemas that are applied to the same value; with `path`, what a circle of them is found and told by. */
  inPlace: readonly SchemaNode[] = NO_NODES;
  readonly path: SchemaPath;
  /** Run at the end, when everything else holds; of any kind. */
  last: readonly Check[] = NO_CHECKS;
  private onString: Check[] | undefined;
  private onNumber: Check[] | undefined;
  private onArray: Check[] | undefined;
  private onObject: Check[] | undefined;
  private onOther: Check[] | undefined;

  constructor(resource: SchemaResource, path: SchemaPath) {
    this.resource = resource;
    this.path = path;
  }

  add(kinds: number, check: Check): void {
    if ((kinds & STRING) !== 0) (this.onString ??= []).push(check);
    if ((kinds & NUMBER) !== 0) (this.onNumber ??= []).push(check);
    if ((kinds & ARRAY) !== 0) (this.onArray ??= []).push(check);
    if ((kinds & OBJECT) !== 0) (this.onObject ??= []).push(check);
    if (kinds === ANY) (this.onOther ??= []).push(check);
  }

  /** Adds a check that is run when everything else holds; of any kind. */
  addLast(check: Check): void {
    this.last = [...this.last, check];
  }

  addInPlace(...nodes: readonly SchemaNode[]): void {
    this.inPlace = [...this.inPlace, ...nodes];
  }

  checksOf(kind: number): readonly Check[] {
    if (kind === STRING) return this.onString ?? NO_CHECKS;
    if (kind === OBJECT) return this.onObject ?? NO_CHECKS;
    if (kind === ARRAY) return this.onArray ?? NO_CHECKS;
    if ((kind & NUMBER) !== 0) return this.onNumber ?? NO_CHECKS;
    return this.onOther ?? NO_CHECKS;
  }

  /** Whether it takes every value: nothing needs to be run for it. */
  takesAll(): boolean {
    return (
      this.kinds === ANY &&
      this.last.length === 0 &&
      this.onString === undefined &&
      this.onNumber === undefined &&
      this.onArray === undefined &&
      this.onObject === undefined &&
      this.onOther === undefined
    );
  }
}

/** A place in a schema as a chain to its root: a path is only written out for an error. */
export type SchemaPath = { readonly parent: SchemaPath; readonly key: string | number } | undefined;

/** Writes a chain out. */
export function pathOf(path: SchemaPath): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key);
  return keys.reverse();
}
