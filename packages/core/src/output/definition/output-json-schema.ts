/** JSON Schema of an answer, if its definition has one. Pure. */
import type { JsonSchema } from '../../schema/engine/json-schema-types.ts';
import { toJsonSchema } from '../../schema/to-json-schema.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { oncePerSchema } from './once-per-schema.ts';

/**
 * Returns the JSON Schema of the text that the agent must write. Undefined for plain text. Each
 * schema is converted once.
 *
 * @throws UsageError if the definition's schema has no JSON Schema
 */
export const outputJsonSchema: (definition: AnyOutputDefinition) => JsonSchema | undefined =
  oncePerSchema(convert);

function convert(definition: AnyOutputDefinition): JsonSchema | undefined {
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
