/** Answer instructions: text for the caller's own prompt that explains how to answer. Pure. */
import { assertDefinition } from './assert-definition.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import type { JsonSchema } from '../../schema/engine/json-schema-types.ts';
import { treeSize } from '../../schema/work/tree-size.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';
import { sampleOf } from './schema-example.ts';

/**
 * Returns a short text to paste into a prompt: the tag, the JSON Schema, one example of the shape.
 *
 * @throws UsageError if the definition's schema has no JSON Schema; SchemaError `too-many-nodes` if
 *   its text would be endless
 */
export function instructionsFor(definition: AnyOutputDefinition): string {
  assertDefinition(definition, 'Output.instructions()');
  const { tag } = definition;
  const place = tag === undefined ? 'Answer' : `End with your answer between <${tag}> and </${tag}>`;
  if (definition._tag === 'string') return `${place}, as plain text.${exampleLine(tag, TEXT_SAMPLE)}`;
  if (definition._tag === 'choice') {
    const options = definition.options.map((option) => JSON.stringify(option)).join(', ');
    return `${place}: one of ${options}, and nothing else.${exampleLine(tag, CHOICE_SAMPLE)}`;
  }
  const schema = outputJsonSchema(definition) ?? true;
  if (treeSize(schema, MAX_SCHEMA_SIZE) > MAX_SCHEMA_SIZE) throw refuseEndless();
  const shape = isAnything(schema)
    ? '.'
    : // In the author's order of keys: a model writes them in the order that it reads, its reasons before its verdict.
      `, that fits this JSON Schema:\n${JSON.stringify(withoutMeta(schema))}`;
  return `${place}: JSON only, without comments or trailing commas${shape}${exampleLine(tag, sampleOf(schema).text)}`;
}

/** Samples of answers that are not JSON. They are not answers themselves. */
export const TEXT_SAMPLE = 'Your text.';
const CHOICE_SAMPLE = '…';

/**
 * Maximum of values and sixteenths of text of a schema in a prompt. Only a schema whose parts share
 * each other exceeds it.
 */
const MAX_SCHEMA_SIZE = 1_000_000;

function refuseEndless(): SchemaError {
  return new SchemaError(
    `Expected the JSON Schema to have at most ${MAX_SCHEMA_SIZE} values, got more. Define repeated parts once, in \`$defs\`.`,
    { code: 'too-many-nodes', path: [] },
  );
}

function exampleLine(tag: string | undefined, example: string): string {
  return `\nFor example (the shape, not the values):\n${tag === undefined ? example : `<${tag}>${example}</${tag}>`}`;
}

function isAnything(schema: JsonSchema): boolean {
  return schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);
}

/** The draft of a schema is irrelevant to an agent. */
export function withoutMeta(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _schema, ...rest } = schema;
  return rest;
}
