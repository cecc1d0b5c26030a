/** Checks of an output definition that a caller passes: its kind, and that an answer is possible. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { isKindName, outputKindOf } from './output-kinds.ts';
import { assertPossible } from '../../schema/assert-possible.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { outcomesOf } from './outcome.ts';
import { oncePerSchema } from './output-json-schema.ts';

/**
 * Rejects a value that no helper of `Output` makes.
 *
 * @throws UsageError `invalid-definition`
 */
export function assertDefinition(definition: unknown, name: string): void {
  if (isRecord(definition) && isKindName(definition['_tag'])) {
    const { tag } = definition;
    if (tag === undefined || typeof tag === 'string') return;
  }
  throw new UsageError(
    `Expected \`${name}\` to be created with \`Output\`, got ${describeValue(definition)}. Write \`Output.object({ schema })\`.`,
    { code: 'invalid-definition' },
  );
}

/**
 * Rejects a definition whose schema no JSON value fits. An array can always be empty.
 *
 * @throws UsageError `unsupported`, with the path inside the schema and the remedy
 */
export const assertAnswerable: (definition: AnyOutputDefinition) => void = oncePerSchema((definition) => {
  // Each of its outcomes must be possible.
  outcomesOf(definition)?.parts.forEach((part) => assertAnswerable(part));
  const { schemaOf, canBeEmpty } = outputKindOf(definition);
  const schema = schemaOf?.(definition);
  if (schema !== undefined && canBeEmpty !== true) assertPossible(schema);
  return true;
});
