/** Owns the form in which a provider's own schema mode is asked for an answer, and the way back to the form of its schema. */
import { SchemaError } from '../../errors/schema-error.ts';
import { dialectOf } from '../../model/answer-route.ts';
import type { GenerateModel } from '../../model/generate-options.ts';
import { parseJson } from '../../output/parse-json.ts';
import { lowerJsonSchema, type LoweredJsonSchema } from '../../schema/dialects/lower-json-schema.ts';
import type { JsonSchema } from '../../schema/json-schema-types.ts';
import type { MessagePart } from '../contract/parts.ts';

/** A schema as a provider takes it. */
export interface NativeForm {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Turns the text of an answer back. A text in the schema's own form stays as it was written. */
  restore(text: string): string;
}

/** Lowers a schema to what the model's provider takes; one that cannot be carried is sent as it is, and the provider says what it thinks of it. */
export function nativeForm(schema: JsonSchema, model: GenerateModel): NativeForm {
  const lowered = safeLower(schema, model);
  if (lowered === undefined) {
    return { schema: typeof schema === 'object' ? { ...schema } : {}, restore: (text) => text };
  }
  return {
    schema: lowered.schema,
    restore: (text) => (lowered.changes.length === 0 ? text : restore(text, lowered)),
  };
}

/** What a provider's schema mode answered, in the form of the schema itself. */
export function restoreParts(
  parts: readonly MessagePart[],
  schema: JsonSchema,
  model: GenerateModel,
): readonly MessagePart[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const others = parts.filter(({ type }) => type !== 'text');
  return text === '' ? others : [...others, { type: 'text', text: nativeForm(schema, model).restore(text) }];
}

/** Numbers lose digits here that a double cannot hold, and doubled keys: only where the form is another. */
function restore(text: string, { inverse }: LoweredJsonSchema): string {
  const parsed = parseJson(text);
  return parsed.success ? JSON.stringify(inverse(parsed.value)) : text;
}

function safeLower(schema: JsonSchema, model: GenerateModel): LoweredJsonSchema | undefined {
  try {
    return lowerJsonSchema(schema, dialectOf(model));
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}
