/** Rules of the judge that follow from a definition alone. Pure. */
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { instructionsFor, TEXT_SAMPLE, withoutMeta } from '../definition/instructions.ts';
import { outputJsonSchema } from '../definition/output-json-schema.ts';
import { sampleOf } from '../definition/schema-example.ts';
import { schemaKeyOf } from '../definition/schema-hash.ts';
import { DEFAULT_MAX_PAYLOAD_BYTES } from './drive.ts';
import type { JudgeRules } from './judged.ts';
import { isSameJson } from './same-json.ts';

/** Returns the rules of a definition, at the level `strict`. */
export function rulesFor(definition: AnyOutputDefinition): JudgeRules {
  const { maxPayloadBytes: maxBytes = DEFAULT_MAX_PAYLOAD_BYTES } = definition;
  if (definition._tag === 'string') return { maxBytes, words: [], isOurs: (value) => value === TEXT_SAMPLE };
  return {
    maxBytes,
    ...(definition._tag === 'choice' && { words: definition.options }),
    isOurs: (value) => shownBy(definition).some((shown) => isSameJson(value, shown)),
    ownTexts: () => [instructionsOf(definition)],
  };
}

/** Converting a schema costs more than an answer, and definitions share schemas. */
const shownValues: Readonly<Record<AnyOutputDefinition['_tag'], WeakMap<object, readonly unknown[]>>> = {
  object: new WeakMap(),
  array: new WeakMap(),
  choice: new WeakMap(),
  json: new WeakMap(),
  string: new WeakMap(),
};

/** Returns what a prompt can show of a definition: its sample, and its schema. */
function shownBy(definition: AnyOutputDefinition): readonly unknown[] {
  const values = shownValues[definition._tag];
  const key = schemaKeyOf(definition);
  const known = values.get(key);
  if (known !== undefined) return known;
  const shown = valuesShownBy(definition);
  values.set(key, shown);
  return shown;
}

function valuesShownBy(definition: AnyOutputDefinition): readonly unknown[] {
  const schema = schemaOf(definition);
  if (schema === undefined) return [];
  const { value, hasPlace } = sampleOf(schema);
  const isShown = typeof schema === 'object' && Object.keys(schema).length > 0;
  return [...(hasPlace ? [value] : []), ...(isShown ? [withoutMeta(schema)] : [])];
}

/** A schema without a JSON Schema is shown in no prompt. */
function schemaOf(definition: AnyOutputDefinition): ReturnType<typeof outputJsonSchema> {
  try {
    return outputJsonSchema(definition);
  } catch {
    return undefined;
  }
}

function instructionsOf(definition: AnyOutputDefinition): string {
  try {
    return instructionsFor(definition);
  } catch {
    return '';
  }
}
