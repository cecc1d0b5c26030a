/** Compiled schema: the accepted kinds, and the checks per kind. Pure. */
import { ANY, ARRAY, NUMBER, OBJECT, STRING } from './json-kind.ts';
import type { ValidationRun } from './validation-run.ts';

/**
 * Returns true if `value` passes; otherwise reports to the run. Called only with the kinds it was
 * registered for.
 */
export type KeywordCheck = (value: unknown, run: ValidationRun) => boolean;

/** A schema resource: a schema with its own identifier, and its anchors. */
export interface SchemaResource {
  readonly uri: string;
  /** The source schema. */
  readonly root: unknown;
  readonly anchors: Map<string, SchemaNode>;
  /** Dynamic anchors. The empty name is `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

const NO_CHECKS: readonly KeywordCheck[] = [];
const NO_NODES: readonly SchemaNode[] = [];

/** A compiled schema. Complete after the compilation. */
export class SchemaNode {
  readonly resource: SchemaResource;
  /** Flags of the accepted kinds. */
  kinds: number = ANY;
  /** True if it contains `unevaluatedProperties` or `unevaluatedItems`. */
  tracksEvaluated = false;
  /** In-place subschemas. With `path`, they detect and report a circle. */
  inPlace: readonly SchemaNode[] = NO_NODES;
  readonly path: LinkedSchemaPath;
  /** Checks for any kind, run after all others have passed. */
  last: readonly KeywordCheck[] = NO_CHECKS;
  #onString: KeywordCheck[] | undefined;
  #onNumber: KeywordCheck[] | undefined;
  #onArray: KeywordCheck[] | undefined;
  #onObject: KeywordCheck[] | undefined;
  #onOther: KeywordCheck[] | undefined;

  constructor(resource: SchemaResource, path: LinkedSchemaPath) {
    this.resource = resource;
    this.path = path;
  }

  add(kinds: number, check: KeywordCheck): void {
    if ((kinds & STRING) !== 0) (this.#onString ??= []).push(check);
    if ((kinds & NUMBER) !== 0) (this.#onNumber ??= []).push(check);
    if ((kinds & ARRAY) !== 0) (this.#onArray ??= []).push(check);
    if ((kinds & OBJECT) !== 0) (this.#onObject ??= []).push(check);
    if (kinds === ANY) (this.#onOther ??= []).push(check);
  }

  /** Adds a check for any kind, run after all others have passed. */
  addLast(check: KeywordCheck): void {
    this.last = [...this.last, check];
  }

  addInPlace(...nodes: readonly SchemaNode[]): void {
    this.inPlace = [...this.inPlace, ...nodes];
  }

  checksOf(kind: number): readonly KeywordCheck[] {
    if (kind === STRING) return this.#onString ?? NO_CHECKS;
    if (kind === OBJECT) return this.#onObject ?? NO_CHECKS;
    if (kind === ARRAY) return this.#onArray ?? NO_CHECKS;
    if ((kind & NUMBER) !== 0) return this.#onNumber ?? NO_CHECKS;
    return this.#onOther ?? NO_CHECKS;
  }

  /** True if it accepts every value, so nothing has to run. */
  takesAll(): boolean {
    return (
      this.kinds === ANY &&
      this.last.length === 0 &&
      this.#onString === undefined &&
      this.#onNumber === undefined &&
      this.#onArray === undefined &&
      this.#onObject === undefined &&
      this.#onOther === undefined
    );
  }
}

/** A schema location as a linked list to the root. The path is rendered only for errors. */
export type LinkedSchemaPath =
  | { readonly parent: LinkedSchemaPath; readonly key: string | number }
  | undefined;

/** Renders the list as a path. */
export function pathOf(path: LinkedSchemaPath): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key);
  return keys.reverse();
}

/**
 * Finds a node that in-place subschemas lead back to. Iterative: chains of references can be long.
 */
export function findInPlaceCircle(nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  for (const start of nodes) {
    if (done.has(start) || start.inPlace.length === 0) continue;
    const stack = [{ node: start, next: 0 }];
    open.add(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.node.inPlace[frame.next];
      frame.next += 1;
      if (child === undefined) {
        open.delete(frame.node);
        done.add(frame.node);
        stack.pop();
      } else if (open.has(child)) {
        return child;
      } else if (!done.has(child)) {
        open.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
  }
  return undefined;
}
