/** Owns the fingerprint of an answer's schema: SHA-256 of its canonical JSON Schema. Pure. */
import { canonicalJson } from '../schema/canonical-json.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';

/** Making the JSON Schema of a large schema costs more than an answer; a definition does not change. */
const hashes = new WeakMap<AnyOutputDefinition, Promise<string | undefined>>();

/** Returns the hash in hex; undefined where the definition has no JSON Schema. Never rejects. */
export function schemaHashOf(definition: AnyOutputDefinition): Promise<string | undefined> {
  const known = hashes.get(definition);
  if (known !== undefined) return known;
  const hash = computeHash(definition);
  hashes.set(definition, hash);
  return hash;
}

async function computeHash(definition: AnyOutputDefinition): Promise<string | undefined> {
  try {
    const schema = outputJsonSchema(definition);
    if (schema === undefined) return undefined;
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(schema)));
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    // A schema without a JSON Schema validates all the same; its answers just carry no fingerprint.
    return undefined;
  }
}
