/** Removal of impossible parts: each becomes `false`, which matches nothing either. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import { showPlace, type SchemaPath } from '../analysis/schema-place.ts';
import { ImpossibleParts } from './impossible-parts.ts';

/** A part that no value fits, and that is therefore not requested. */
export interface RemovedPart {
  readonly path: SchemaPath;
  /** The keyword that contains it. */
  readonly keyword: string;
  readonly why: string;
}

/**
 * Replaces the impossible parts of a parsed schema in place, the outermost ones.
 *
 * @throws SchemaError `unsupported` if no value fits the schema itself
 */
export function removeImpossible(root: unknown): readonly RemovedPart[] {
  const parts = new ImpossibleParts(root);
  const whole = parts.explain(root);
  if (whole !== undefined) throw refuseImpossible(whole.path, whole.why, whole.cure);
  const removed: RemovedPart[] = [];
  const open: unknown[] = [root];
  for (const value of open) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'object' || member === null) continue;
      const path = parts.placeOf(member);
      const found = path === undefined ? undefined : parts.explain(member);
      if (path === undefined || found === undefined) open.push(member);
      else {
        if (!DEFINITIONS.has(keywordOf(path))) {
          removed.push({ path, keyword: keywordOf(path), why: found.why });
        }
        Reflect.set(value, key, false);
      }
    }
  }
  return removed;
}

/** A definition is reported where it is used. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);
const MAPS: ReadonlySet<string> = new Set([
  ...DEFINITIONS,
  'properties',
  'patternProperties',
  'dependentSchemas',
]);

function keywordOf(path: SchemaPath): string {
  const [owner, last] = path.slice(-2).map(String);
  return last === undefined || MAPS.has(owner ?? '') || typeof path.at(-1) === 'number'
    ? (owner ?? '')
    : last;
}

function refuseImpossible(path: SchemaPath, why: string, cure: string): SchemaError {
  return new SchemaError(
    `No value fits the schema, so no answer is possible, because of ${showPlace(path)}: ${why}. ${cure}`,
    { code: 'unsupported', path },
  );
}
