/** Owns the text that tells an agent how to answer, for the caller's own prompt. Pure. */
import { canonicalJson } from '../schema/canonical-json.ts';
import type { JsonSchema } from '../schema/json-schema-types.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';
import { exampleOf } from './schema-example.ts';

/** Returns a short text to paste into a prompt: the tag, the JSON Schema, one example of the shape. */
export function instructionsFor(definition: AnyOutputDefinition): string {
  const { tag } = definition;
  const place = tag === undefined ? 'Answer' : `End with your answer between <${tag}> and </${tag}>`;
  if (definition._tag === 'string') return `${place}, as plain text.`;
  if (definition._tag === 'choice') {
    const options = definition.options.map((option) => JSON.stringify(option)).join(', ');
    return `${place}: one of ${options}.${exampleLine(tag, definition.options[0] ?? '')}`;
  }
  const schema = outputJsonSchema(definition) ?? true;
  return `${place}: JSON only, no comments, no trailing commas, that fits this JSON Schema:\n${canonicalJson(withoutMeta(schema))}${exampleLine(tag, JSON.stringify(exampleOf(schema)))}`;
}

function exampleLine(tag: string | undefined, example: string): string {
  return `\nFor example (the shape, not the values):\n${tag === undefined ? example : `<${tag}>${example}</${tag}>`}`;
}

/** Which draft a schema is written in tells an agent nothing. */
function withoutMeta(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _schema, ...rest } = schema;
  return rest;
}
