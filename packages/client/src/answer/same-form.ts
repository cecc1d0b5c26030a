/** Form of an answer in the schema modes of providers, as far as a client can know it. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/**
 * Returns true if each provider is asked for values of this schema in their own form, except that an optional
 * property can be `null`. Others, such as maps and tuples, are asked for in another form, which only the
 * server can undo.
 */
export function hasSameForm(schema: unknown): boolean {
  if (!isRecord(schema) || '$ref' in schema || 'allOf' in schema || 'not' in schema) return false;
  const { type, anyOf, properties, items } = schema;
  if (Array.isArray(anyOf)) return type === undefined && anyOf.every((part) => hasSameForm(part));
  const literals: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  if (literals !== undefined) {
    return Array.isArray(literals) && literals.every((each) => typeof each === 'string');
  }
  if (type === 'object') {
    const isOpen = (schema['additionalProperties'] ?? false) !== false || 'patternProperties' in schema;
    return !isOpen && isRecord(properties) && hasAllSame(properties, schema['required']);
  }
  if (type === 'array') return !('prefixItems' in schema) && hasSameForm(items);
  return Array.isArray(type) ? type.every((each) => SCALARS.has(each)) : SCALARS.has(type);
}

function hasAllSame(properties: Readonly<Record<string, unknown>>, required: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const isNamed = names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return isNamed && Object.values(properties).every((part) => hasSameForm(part));
}
