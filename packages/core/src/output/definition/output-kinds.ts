/** Kinds of answers: what each kind is, in one table. A new kind without an entry does not compile. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import { toJsonSchema } from '../../schema/to-json-schema.ts';
import { parseBoundedJson } from '../../json/bounded-json.ts';
import type { AnyOutputDefinition } from './definition.ts';

export type OutputKindName = AnyOutputDefinition['_tag'];

interface OutputKind<TDefinition> {
  /** The caller's schema, if the kind has one. What follows from it is computed once. */
  schemaOf?(definition: TDefinition): StandardSchemaV1;
  /** The JSON Schema of the answer. Undefined for text. */
  jsonSchemaOf(definition: TDefinition): JsonSchema | undefined;
  /** Texts that are answers without JSON. Empty: every text. Absent: only JSON is an answer. */
  wordsOf?(definition: TDefinition): readonly string[];
  /** True if there is an answer although no value fits the schema: an array can be empty. */
  readonly canBeEmpty?: true;
}

type OutputKinds = {
  readonly [Name in OutputKindName]: OutputKind<Extract<AnyOutputDefinition, { readonly _tag: Name }>>;
};

const OUTPUT_KINDS: OutputKinds = {
  object: {
    schemaOf: ({ schema }) => schema,
    jsonSchemaOf: ({ schema }) => toJsonSchema(schema),
  },
  string: {
    jsonSchemaOf: () => undefined,
    wordsOf: () => [],
  },
  array: {
    schemaOf: ({ element }) => element,
    jsonSchemaOf: ({ element }) => ({ type: 'array', items: toJsonSchema(element) }),
    canBeEmpty: true,
  },
  choice: {
    jsonSchemaOf: ({ options }) => ({ type: 'string', enum: [...options] }),
    wordsOf: ({ options }) => options,
  },
  json: {
    jsonSchemaOf: () => ({}),
  },
};

export function outputKindOf(definition: AnyOutputDefinition): OutputKind<AnyOutputDefinition> {
  return OUTPUT_KINDS[definition._tag];
}

export function isKindName(name: unknown): name is OutputKindName {
  return typeof name === 'string' && Object.hasOwn(OUTPUT_KINDS, name);
}

/** Returns texts that are answers without JSON. Empty: every text. Undefined: only JSON is an answer. */
export function answerWordsOf(definition: AnyOutputDefinition): readonly string[] | undefined {
  return outputKindOf(definition).wordsOf?.(definition);
}

/** Returns the word that equals `text`, bare or as a JSON string. */
export function wordIn(text: string, words: readonly string[]): string | undefined {
  if (words.includes(text)) return text;
  const parsed = text.startsWith('"') ? parseBoundedJson(text) : undefined;
  const value = parsed?.success === true ? parsed.value : undefined;
  return typeof value === 'string' && words.includes(value) ? value : undefined;
}

/** Returns the preview of a growing value. An incomplete choice has none. */
export function previewOf(value: unknown, definition: AnyOutputDefinition): unknown {
  const words = answerWordsOf(definition) ?? [];
  if (words.length === 0) return value;
  return typeof value === 'string' ? wordIn(value, words) : undefined;
}
