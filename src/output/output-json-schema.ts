/** Owns the JSON Schema of an answer, where its definition can give one. Pure. */
import type { JsonSchema } from '../schema/json-schema-types.ts';
import { toJsonSchema } from '../schema/to-json-schema.ts';
import type { AnyOutputDefinition } from './definition.ts';

/**
 * Returns the JSON Schema of what the agent is to write; undefined for text.
 *
 * @throws UsageError when the definition's schema has no JSON Schema
 */
export function outputJsonSchema(definition: AnyOutputDefinition): JsonSchema | undefined {
  switch (definition._tag) {
    case 'string':
      return undefined;
    case 'json':
      return {};
    case 'choice':
      return { type: 'string', enum: [...definition.options] };
    case 'object':
      return toJsonSchema(definition.schema);
    case 'array':
      return { type: 'array', items: toJsonSchema(definition.element) };
    default:
      return definition satisfies never;
  }
}
