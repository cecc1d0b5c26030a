/** Draft 04 bounds: converts exclusive bounds to the form of draft 07 and later. Pure. */
import type { SchemaObject } from './schema-place.ts';

/** In draft 04 an exclusive bound is `true` beside the bound. */
export function withDraft07Bounds(schema: SchemaObject): SchemaObject {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  const { minimum, maximum, exclusiveMinimum: _min, exclusiveMaximum: _max, ...rest } = schema;
  return {
    ...rest,
    ...boundOf('Minimum', minimum, exclusiveMinimum),
    ...boundOf('Maximum', maximum, exclusiveMaximum),
  };
}

function boundOf(name: 'Minimum' | 'Maximum', bound: unknown, exclusive: unknown): SchemaObject {
  if (exclusive === true) return typeof bound === 'number' ? { [`exclusive${name}`]: bound } : {};
  return {
    ...(bound !== undefined && { [name.toLowerCase()]: bound }),
    ...(typeof exclusive === 'number' && { [`exclusive${name}`]: exclusive }),
  };
}
