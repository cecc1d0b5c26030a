/** Schema of an object around another schema. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { asRecord } from '../json/describe-schema.ts';

/** Keywords that describe a value. */
const RULES = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'];

/** Returns the schema of an object with the given one as its only member. Undefined for an object. */
export function wrappedInObject(text: string): string | undefined {
  const root = asRecord(jsonValueOf(text));
  if (root === undefined || root['type'] === 'object' || 'properties' in root) return undefined;
  const { $defs, $schema, ...member } = root;
  if (!RULES.some((rule) => rule in member)) return undefined;
  const name = member['type'] === 'array' ? 'items' : 'value';
  const wrapped = {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { [name]: member },
    required: [name],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
  return JSON.stringify(wrapped, undefined, 2);
}
