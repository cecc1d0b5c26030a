/**
 * Questions to an inference engine: each asks for something that only an engine that enforces it
 * writes. No question has a pattern or a length that ends the process of an older engine. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/** Subject of a question. */
export type EngineAbility = (typeof ENGINE_ABILITIES)[number];

/** In the order of the report. */
export const ENGINE_ABILITIES = [
  'schema',
  'schema-in-json-mode',
  'json-mode',
  'named-tool',
  'required-tool',
  'pattern',
  'pattern-class',
  'date',
  'length',
  'item-count',
  'integer-range',
  'number-range',
  'keys',
  'references',
] as const;

/** The part of a reply that questions read. */
export interface EngineReply {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

export interface EngineQuestion {
  readonly ability: EngineAbility;
  /** Members of the request beside the model. */
  readonly body: Readonly<Record<string, unknown>>;
  isHeld(reply: EngineReply): boolean;
}

/** The prompt never asks for what the schema asks for. */
const PROMPT = 'Describe the sea in one long sentence.';
const MAX_TOKENS = 48;
const KEY = 'value';

/**
 * Returns the questions.
 *
 * @param word - a word by chance, which no model writes by itself
 * @param hasSchemaFormat - false to put each schema beside `json_object`
 */
export function engineQuestions(
  word: string,
  { hasSchemaFormat }: { readonly hasSchemaFormat: boolean },
): readonly EngineQuestion[] {
  return [...formQuestions(word), ...keywordQuestions(word, hasSchemaFormat ? schemaFormat : besideJson)];
}

function formQuestions(word: string): readonly EngineQuestion[] {
  const chance = objectOf({ enum: [word] });
  const isWord = ({ text }: EngineReply): boolean => valueIn(text) === word;
  return [
    { ability: 'schema', body: said(schemaFormat(chance)), isHeld: isWord },
    { ability: 'schema-in-json-mode', body: said(besideJson(chance)), isHeld: isWord },
    {
      ability: 'json-mode',
      body: {
        ...said({ response_format: { type: 'json_object' } }),
        messages: messagesOf(`${PROMPT} JSON.`),
      },
      isHeld: ({ text }) => isRecord(jsonIn(text)),
    },
    {
      ability: 'named-tool',
      body: said({ ...toolsOf(chance), tool_choice: { type: 'function', function: { name: 'second' } } }),
      isHeld: ({ calls }) => calls.length === 1 && calls[0]?.name === 'second',
    },
    {
      ability: 'required-tool',
      body: said({ ...toolsOf(chance), tool_choice: 'required' }),
      isHeld: ({ calls }) => calls.length > 0,
    },
  ];
}

/** The keywords of a schema, one for each row. */
function keywordQuestions(word: string, format: typeof schemaFormat): readonly EngineQuestion[] {
  const keys = {
    type: 'object',
    properties: { [word]: { type: 'boolean' } },
    required: [word],
    additionalProperties: false,
  };
  const items = { type: 'array', items: { enum: ['a', 'b'] }, minItems: 7, maxItems: 7 };
  const rows: readonly (readonly [EngineAbility, JsonSchemaObject, (value: unknown) => boolean])[] = [
    ['pattern', { type: 'string', pattern: '^[0-9]{4}$' }, matches(/^[0-9]{4}$/u)],
    ['pattern-class', { type: 'string', pattern: '^[a-z]{2}[.][0-9]$' }, matches(/^[a-z]{2}\.[0-9]$/u)],
    ['date', { type: 'string', format: 'date' }, matches(/^\d{4}-\d{2}-\d{2}$/u)],
    ['length', { type: 'string', maxLength: 5 }, matches(/^.{0,5}$/su)],
    ['item-count', items, (value) => Array.isArray(value) && value.length === 7],
    ['integer-range', { type: 'integer', minimum: 731, maximum: 738 }, within(731, 738)],
    ['number-range', { type: 'number', minimum: 0.25, maximum: 0.375 }, within(0.25, 0.375)],
    ['keys', keys, (value) => isRecord(value) && Object.keys(value).join() === word],
  ];
  const referring = { ...objectOf({ $ref: '#/$defs/word' }), $defs: { word: { enum: [word] } } };
  return [
    ...rows.map(([ability, property, isHeld]) => ({
      ability,
      body: said(format(objectOf(property))),
      isHeld: ({ text }: EngineReply) => isHeld(valueIn(text)),
    })),
    {
      ability: 'references',
      body: said(format(referring)),
      isHeld: ({ text }) => valueIn(text) === word,
    },
  ];
}

type JsonSchemaObject = Readonly<Record<string, unknown>>;

function objectOf(property: JsonSchemaObject): JsonSchemaObject {
  return { type: 'object', properties: { [KEY]: property }, required: [KEY], additionalProperties: false };
}

function said(members: JsonSchemaObject): JsonSchemaObject {
  return { messages: messagesOf(PROMPT), max_tokens: MAX_TOKENS, temperature: 0, ...members };
}

function messagesOf(content: string): readonly object[] {
  return [{ role: 'user', content }];
}

function schemaFormat(schema: JsonSchemaObject): JsonSchemaObject {
  return { response_format: { type: 'json_schema', json_schema: { name: 'probe', strict: true, schema } } };
}

function besideJson(schema: JsonSchemaObject): JsonSchemaObject {
  return { response_format: { type: 'json_object', schema } };
}

function toolsOf(parameters: JsonSchemaObject): JsonSchemaObject {
  const tools = ['first', 'second'].map((name) => ({ type: 'function', function: { name, parameters } }));
  return { tools };
}

function jsonIn(text: string): unknown {
  const parsed = parseJson(text.replace(/^.*<\/think>/su, '').trim());
  return parsed.success ? parsed.value : undefined;
}

function valueIn(text: string): unknown {
  const value = jsonIn(text);
  return isRecord(value) ? value[KEY] : undefined;
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value);
}

function within(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}
