/**
 * Object wrappers for answers whose root is another type, for providers and tools that accept only
 * objects. Pure.
 */
import { embedSchema } from './engine/embed-schema.ts';
import type { JsonSchema } from './engine/read-schema.ts';

/** The only key of an object that a client asks for in the place of another root. */
export const WRAPPED_ROOT_KEY = 'value';

export function isObjectRoot(schema: JsonSchema): boolean {
  return typeof schema === 'object' && schema['type'] === 'object';
}

/** Returns the schema of an object that contains the answer under `WRAPPED_ROOT_KEY`. */
export function wrapRoot(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return embedSchema(schema, WRAPPED_ROOT_KEY);
}

/** Returns the wrapped value. Another value is returned unchanged. */
export function unwrapRoot(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, WRAPPED_ROOT_KEY)) return value;
  return WRAPPED_ROOT_KEY in value ? value[WRAPPED_ROOT_KEY] : value;
}
