/** Owns the text that tells an agent how to answer, for the caller's own prompt. Pure. */
import type { JsonSchema } from '../schema/json-schema-types.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';
import { exampleOf } from './schema-example.ts';

/**
 * Returns a short text to paste into a prompt: the tag, the JSON Schema, one example of the shape.
 *
 * @throws UsageError when the definition's schema has no JSON Schema
 */
export function instructionsFor(definition: AnyOutputDefinition): string {
  const { tag } = definition;
  const place = tag === undefined ? 'Answer' : `End with your answer between <${tag}> and </${tag}>`;
  if (definition._tag === 'string') return `${place}, as plain text.${exampleLine(tag, 'Your text.')}`;
  if (definition._tag === 'choice') {
    const options = definition.options.map((option) => JSON.stringify(option)).join(', ');
    return `${place}: one of ${options}, and nothing else.${exampleLine(tag, definition.options[0] ?? '')}`;
  }
  const schema = outputJsonSchema(definition) ?? true;
  const shape = isAnything(schema)
    ? '.'
    : // In the author's order of keys: a model writes them in the order that it reads, its reasons before its verdict.
      `, that fits this JSON Schema:\n${JSON.stringify(withoutMeta(schema))}`;
  return `${place}: JSON only, without comments or trailing commas${shape}${exampleLine(tag, JSON.stringify(exampleOf(schema)))}`;
}

function exampleLine(tag: string | undefined, example: string): string {
  return `\nFor example (the shape, not the values):\n${tag === undefined ? example : `<${tag}>${example}</${tag}>`}`;
}

function isAnything(schema: JsonSchema): boolean {
  return schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);
}

/** Which draft a schema is written in tells an agent nothing. */
function withoutMeta(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _schema, ...rest } = schema;
  return rest;
}
