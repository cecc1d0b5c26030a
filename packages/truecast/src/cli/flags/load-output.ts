/** Output definition from command-line flags. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition, Via } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { loadSchema } from './load-schema.ts';

/** Flags that define the answer. */
export interface OutputFlags {
  readonly schema?: string;
  readonly tag?: string;
  readonly via?: string;
  readonly maxCorrections?: number;
  readonly retry?: 'resume' | 'fresh';
}

/**
 * Creates the definition, or returns undefined if no flag requests an answer. A tag without a
 * schema requests its text.
 */
export async function loadOutput({
  schema,
  tag,
  via,
  maxCorrections,
  retry,
}: OutputFlags): Promise<AnyOutputDefinition | undefined> {
  const shared = {
    ...(tag !== undefined && { tag }),
    // The definition rejects an unknown route and lists the known ones.
    ...(via !== undefined && { via: via as Via }),
    ...(maxCorrections !== undefined && { maxCorrections }),
    ...(retry !== undefined && { retry }),
  };
  if (schema !== undefined) return Output.object({ ...shared, schema: await loadSchema(schema) });
  if (tag !== undefined) return Output.string({ ...shared, tag });
  if (via === undefined) return undefined;
  throw new UsageError(`\`--via ${via}\` needs the schema of the answer. Pass \`--schema\`.`);
}
