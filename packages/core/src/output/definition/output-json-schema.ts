/** JSON Schema of an answer, if its definition has one, and its fingerprint. Pure. */
import { canonicalJson } from '../../schema/canonical-json.ts';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputKindOf, type OutputKindName } from './output-kinds.ts';

/**
 * Returns the JSON Schema of the text that the agent must write. Undefined for plain text. Each
 * schema is converted once.
 *
 * @throws UsageError if the definition's schema has no JSON Schema
 */
export const outputJsonSchema: (definition: AnyOutputDefinition) => JsonSchema | undefined = oncePerSchema(
  (definition) => outputKindOf(definition).jsonSchemaOf(definition),
);

/** Returns the SHA-256 of the canonical JSON Schema in hex. Undefined if the definition has no JSON Schema. Never rejects. */
export const schemaHashOf: (definition: AnyOutputDefinition) => Promise<string | undefined> =
  /* @__PURE__ */ oncePerSchema(computeHash);

async function computeHash(definition: AnyOutputDefinition): Promise<string | undefined> {
  try {
    const schema = outputJsonSchema(definition);
    if (schema === undefined) return undefined;
    const bytes = new TextEncoder().encode(canonicalJson(schema));
    const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes);
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    // A schema without a JSON Schema still validates. Its answers only have no fingerprint.
    return undefined;
  }
}

/**
 * Returns a function that computes its result once for each schema and kind of answer. Definitions are
 * often created again for the same schema, so the schema is the key.
 */
export function oncePerSchema<TResult>(
  compute: (definition: AnyOutputDefinition) => TResult,
): (definition: AnyOutputDefinition) => TResult {
  const kept = new WeakMap<object, Map<OutputKindName, TResult>>();
  return (definition) => {
    const results = kept.get(keyOf(definition)) ?? new Map<OutputKindName, TResult>();
    kept.set(keyOf(definition), results);
    const known = results.get(definition._tag);
    if (known !== undefined) return known;
    const result = compute(definition);
    results.set(definition._tag, result);
    return result;
  };
}

/** A definition that was not checked may hold anything in the place of the schema. */
function keyOf(definition: AnyOutputDefinition): object {
  const schema: unknown = outputKindOf(definition).schemaOf?.(definition);
  return typeof schema === 'function' || (typeof schema === 'object' && schema !== null)
    ? schema
    : definition;
}
