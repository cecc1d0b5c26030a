/** Cache of what follows from a definition's schema. Converting a schema costs more than an answer. */
import type { AnyOutputDefinition } from './definition.ts';
import { outputKindOf, type OutputKindName } from './output-kinds.ts';

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
