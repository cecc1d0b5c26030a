/** Owns the object around an answer that is none itself, for those who take objects only. Pure. */
import { embedSchema } from './embed-schema.ts';
import type { JsonSchema } from './json-schema-types.ts';

/** The one key of that object. */
export const WRAPPED_ROOT_KEY = 'value';

/** Tells whether the root of a schema says that it is an object. */
export function isObjectRoot(schema: JsonSchema): boolean {
  return typeof schema === 'object' && schema['type'] === 'object';
}

/** Returns the schema of an object that holds the answer under `WRAPPED_ROOT_KEY`. */
export function wrapRoot(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return embedSchema(schema, WRAPPED_ROOT_KEY);
}

/** Returns what was wrapped; another value stays as it is. */
export function unwrapRoot(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, WRAPPED_ROOT_KEY)) return value;
  return WRAPPED_ROOT_KEY in value ? value[WRAPPED_ROOT_KEY] : value;
}
