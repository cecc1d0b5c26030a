/** Answer instructions: text for the caller's own prompt that explains how to answer. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import { assertDefinition } from './assert-definition.ts';
import { toldType, type ToldType } from '../../schema/told/told-type.ts';
import { PLACE, toldJson } from '../../schema/told/told-text.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';
import { answerWordsOf } from './output-kinds.ts';
import { sampleOf } from './prompt-sample.ts';

export interface InstructionOptions {
  /** True after an answered question: it shows the shape, and that an answer has no comments. @default false */
  readonly isDemonstrated?: boolean;
}

/**
 * Returns a short text to paste into a prompt: the tag, the schema as a type, its shape.
 *
 * @throws UsageError if the definition's schema has no JSON Schema; SchemaError `too-many-nodes` if
 *   its text would be endless
 */
export function instructionsFor(
  definition: AnyOutputDefinition,
  { isDemonstrated = false }: InstructionOptions = {},
): string {
  assertDefinition(definition, 'Output.instructions()');
  const { tag } = definition;
  const place = tag === undefined ? 'Answer' : `End with your answer between <${tag}> and </${tag}>`;
  const words = answerWordsOf(definition);
  if (words?.length === 0) return `${place}, as plain text.${exampleLine(tag, TEXT_SAMPLE)}`;
  if (words !== undefined) {
    const options = words.map((option) => toldJson(option)).join(', ');
    return `${place}: one of ${options}, and nothing else.${exampleLine(tag, CHOICE_SAMPLE)}`;
  }
  const schema = outputJsonSchema(definition) ?? true;
  const isAny = schema !== false && Object.keys(schema).length === 0;
  const type = isAny ? '.' : typeLines(toldType(schema));
  if (isDemonstrated) return `${place}: JSON only${type}${keysLine(schema)}`;
  return `${place}: JSON only, without comments or trailing commas${type}${shapeLine(tag, sampleOf(schema).text)}`;
}

/** Samples of answers that are not JSON. They are not answers themselves. */
export const TEXT_SAMPLE = 'Your text.';
const CHOICE_SAMPLE = PLACE;

/** In the author's order of keys: a model writes them in the order that it reads, its reasons before its verdict. */
function typeLines({ text, isClosed }: ToldType): string {
  return `, of this type${isClosed ? ', with no other keys' : ''}:\n${text}`;
}

/** A small model reads the outermost keys better in the last line than in a type. */
function keysLine(schema: JsonSchema): string {
  const keys = Object.keys((isRecord(schema) && schema['properties']) || {});
  return keys.length === 0 ? '' : `\nKeys: ${keys.map(toldJson).join(', ')}`;
}

/** The sample of an answer. A place for the whole says nothing that the type does not say. */
function shapeLine(tag: string | undefined, sample: string): string {
  return `\nThe shape is ${tag === undefined ? sample : `<${tag}>${sample}</${tag}>`}`;
}

function exampleLine(tag: string | undefined, example: string): string {
  return `\nFor example (the shape, not the values):\n${tag === undefined ? example : `<${tag}>${example}</${tag}>`}`;
}
