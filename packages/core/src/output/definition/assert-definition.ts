/** Check of an output definition that a caller passes. Pure. */
import { describeValue } from '../../errors/base/describe-value.ts';
import { isRecord } from '../../errors/base/is-record.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AnyOutputDefinition } from './definition.ts';

/** Kinds of definitions. */
export const KINDS: ReadonlySet<unknown> = new Set<AnyOutputDefinition['_tag']>([
  'object',
  'string',
  'array',
  'choice',
  'json',
]);

/**
 * Rejects a value that no helper of `Output` makes.
 *
 * @throws UsageError `invalid-definition`
 */
export function assertDefinition(definition: unknown, name: string): void {
  if (isRecord(definition) && KINDS.has(definition['_tag'])) {
    const { tag } = definition;
    if (tag === undefined || typeof tag === 'string') return;
  }
  throw new UsageError(
    `Expected \`${name}\` to be created with \`Output\`, got ${describeValue(definition)}. Write \`Output.object({ tag, schema })\`.`,
    { code: 'invalid-definition' },
  );
}
