/** Owns telling whether a schema accepts `null`, which no keyword about other types has a say in. Pure. */
import { isRecord, resolveReference } from './schema-place.ts';

/** References followed at most; a schema that applies itself to the same value has no answer anyway. */
const MAX_STEPS = 200;

/** Tells whether the schema accepts `null`. */
export function acceptsNull(schema: unknown, root: unknown, steps: number = MAX_STEPS): boolean {
  if (!isRecord(schema)) return schema !== false;
  if (steps === 0) return false;
  const accepts = (part: unknown): boolean => acceptsNull(part, root, steps - 1);
  const { type, allOf, anyOf, oneOf } = schema;
  if (type !== undefined && type !== 'null' && !(Array.isArray(type) && type.includes('null'))) return false;
  if ('const' in schema && schema['const'] !== null) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
  if ('$ref' in schema && !accepts(resolveReference(root, schema['$ref'], []).schema)) return false;
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false;
  if (Array.isArray(oneOf) && oneOf.filter(accepts).length !== 1) return false;
  if ('not' in schema && accepts(schema['not'])) return false;
  if (!('if' in schema)) return true;
  return accepts(schema[accepts(schema['if']) ? 'then' : 'else'] ?? true);
}
