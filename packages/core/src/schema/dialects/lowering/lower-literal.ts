/**
 * Literal lowering: `const` and `enum` are never lost. A value that a provider cannot express is
 * fixed as its JSON text. Pure.
 */
import type { LiteralKind } from '../profiles/dialect-profile.ts';
import { jsonTextOf } from './json-text.ts';
import { keepKeywords } from './keep-keywords.ts';
import type { Lowered, LoweringPort } from './lowering-port.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

/**
 * Lowers a schema with `const` or `enum`. Its other keywords have already restricted the values.
 */
export function lowerLiteral(
  schema: SchemaObject,
  values: readonly unknown[],
  path: SchemaPath,
  port: LoweringPort,
): Lowered {
  const { profile } = port;
  const annotations = keepKeywords(schema, [], path, port);
  port.work.spend(values.length * 2, path);
  if (values.every((value) => value === null))
    return { schema: { type: 'null', ...annotations }, inverse: undefined };
  const kinds = new Set(values.map(kindOf));
  if (kinds.has(undefined) || [...kinds].some((kind) => kind !== undefined && !profile.literals.has(kind))) {
    port.change(path, 'const' in schema ? 'const' : 'enum', 'each value as its JSON text');
    return jsonTextOf(values, annotations, port.work);
  }
  const types = [...new Set(values.map(typeOf))];
  const type = types.length === 1 ? types[0] : types;
  const isConst = 'const' in schema && profile.keywords.has('const');
  return {
    schema: { type, ...annotations, ...(isConst ? { const: values[0] } : { enum: values }) },
    inverse: undefined,
  };
}

function kindOf(value: unknown): LiteralKind | undefined {
  if (value === null) return 'null';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as LiteralKind)
    : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
