/** Names and bounds of schemas, in the terms of JSON Schema. Pure. */
import { asRecord, itemsOf, resolveSchema, type DescribedSchema } from '../json/describe-schema.ts';

/** Returns the name of a reference, such as `Chat`. */
export function referenceOf({ $ref: reference }: DescribedSchema): string | undefined {
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
}

/** Returns the alternatives of a union, or an empty list. */
export function variantsOf(node: DescribedSchema): readonly DescribedSchema[] {
  const union = node['anyOf'] ?? node['oneOf'];
  return Array.isArray(union) ? union.map((each) => asRecord(each) ?? {}) : [];
}

/** Returns the type of a schema in a few words. */
export function typeName(schema: DescribedSchema, root: DescribedSchema, depth = 0): string {
  const node = resolveSchema(schema, root);
  const name = referenceOf(schema);
  if ('const' in node) return JSON.stringify(node['const']);
  const { enum: choices, type } = node;
  if (Array.isArray(choices)) return choices.map((each) => JSON.stringify(each)).join(' | ');
  if (name !== undefined) return name;
  const variants = variantsOf(node);
  if (variants.length > 0 && depth < 3) {
    return [...new Set(variants.map((each) => typeName(each, root, depth + 1)))].join(' | ');
  }
  if (type === 'array' && depth < 3) {
    const items = typeName(itemsOf(node), root, depth + 1);
    return items.includes(' | ') ? `(${items})[]` : `${items}[]`;
  }
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any JSON';
}

const BOUNDS: readonly (readonly [string, string])[] = [
  ['minimum', '≥'],
  ['maximum', '≤'],
  ['minLength', 'length ≥'],
  ['maxLength', 'length ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
  ['default', 'default'],
  ['format', 'format'],
  ['pattern', 'pattern'],
];

/** Larger bounds only repeat that a number is an integer. */
const SAFE = Number.MAX_SAFE_INTEGER;

/** Returns the bounds of a schema, such as `≥ 1`. */
export function boundsText(schema: DescribedSchema, root: DescribedSchema): readonly string[] {
  const node = resolveSchema(schema, root);
  return BOUNDS.flatMap(([keyword, word]) => {
    const value = node[keyword];
    const isShown = typeof value === 'string' || (typeof value === 'number' && Math.abs(value) < SAFE);
    return isShown ? [`${word} ${value}`] : [];
  });
}
