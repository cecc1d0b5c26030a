/** Check of an output definition that a caller passes. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { isKindName } from './output-kinds.ts';

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
