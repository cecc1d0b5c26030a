/** Refusal of definitions without a possible answer, before an agent or a model starts. Pure. */
import { assertPossible } from '../../schema/assert-possible.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { oncePerSchema } from './once-per-schema.ts';
import { outputKindOf } from './output-kinds.ts';

/**
 * Rejects a definition whose schema no JSON value fits. An array can always be empty.
 *
 * @throws UsageError `unsupported`, with the path inside the schema and the remedy
 */
export const assertAnswerable: (definition: AnyOutputDefinition) => void = oncePerSchema((definition) => {
  const { schemaOf, canBeEmpty } = outputKindOf(definition);
  const schema = schemaOf?.(definition);
  if (schema !== undefined && canBeEmpty !== true) assertPossible(schema);
  return true;
});
