/** Schema fingerprint of an answer: SHA-256 of its canonical JSON Schema. Pure. */
import { canonicalJson } from '../../schema/canonical-json.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';

type HashCache = WeakMap<object, Promise<string | undefined>>;

/**
 * Converting a large schema costs more than an answer. Definitions are often created again for the
 * same schema, so the schema is the cache key.
 */
const hashesByKind: Readonly<Record<AnyOutputDefinition['_tag'], HashCache>> = {
  object: new WeakMap(),
  array: new WeakMap(),
  choice: new WeakMap(),
  json: new WeakMap(),
  string: new WeakMap(),
};

/** Returns the hash in hex. Undefined if the definition has no JSON Schema. Never rejects. */
export function schemaHashOf(definition: AnyOutputDefinition): Promise<string | undefined> {
  const hashes = hashesByKind[definition._tag];
  const key = schemaKeyOf(definition);
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = computeHash(definition);
  hashes.set(key, hash);
  return hash;
}

/**
 * Returns the cache key of a definition's schema. Definitions with the same kind and key have the
 * same schema.
 */
export function schemaKeyOf(definition: AnyOutputDefinition): object {
  if (definition._tag === 'object') return definition.schema;
  return definition._tag === 'array' ? definition.element : definition;
}

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
