/** Preview of JSON text whose end is missing. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import { JsonReader } from '../scan/json-reader.ts';
import { createPartialBuilder } from '../scan/partial-builder.ts';
import { hasDangerousKey } from './bounded-json.ts';

/** Returns the value of the start of a JSON text. Undefined if no value has begun, or none can. */
export function previewJson(text: string): JsonValue | undefined {
  const builder = createPartialBuilder();
  const reader = new JsonReader(builder.sink);
  reader.read(text, 0, text.length);
  return reader.isDead || hasDangerousKey(builder.value) ? undefined : builder.value;
}
