/** Owns telling a schema that no value fits. Pure. */
import { isRecord } from './schema-place.ts';

/** Tells whether the schema is written as one that no value fits. */
export function isNever(schema: unknown): boolean {
  if (schema === false) return true;
  if (!isRecord(schema)) return false;
  const { not } = schema;
  return not === true || (isRecord(not) && Object.keys(not).length === 0);
}

/** Tells whether the schema says nothing of a value. */
export function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).every((key) => SAYS_NOTHING.has(key)));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly nullable'.split(
    ' ',
  ),
);
