/** Schema fingerprint of an answer: SHA-256 of its canonical JSON Schema. Pure. */
import { canonicalJson } from '../../schema/canonical-json.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { oncePerSchema } from './once-per-schema.ts';
import { outputJsonSchema } from './output-json-schema.ts';

/** Returns the hash in hex. Undefined if the definition has no JSON Schema. Never rejects. */
export const schemaHashOf: (definition: AnyOutputDefinition) => Promise<string | undefined> =
  oncePerSchema(computeHash);

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
