/** Preview of JSON text whose end is missing. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import type { JsonValue } from '../../kit/json-value.ts';
import { JsonReader } from './json-reader.ts';
import { createPartialBuilder } from '../../json/scan/partial-builder.ts';
import { hasDangerousKey } from '../../json/bounded-json.ts';

/** Returns the value of the start of a JSON text. Undefined if no value has begun, or none can. */
export function previewJson(text: string): JsonValue | undefined {
  const builder = createPartialBuilder();
  const reader = new JsonReader(builder);
  reader.read(text, 0, text.length);
  return reader.isDead || hasDangerousKey(builder.value) ? undefined : builder.value;
}

/** Returns true for an object without keys: it can be a wrapper whose content has not begun. */
export function isBareObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
