/** Output definition from command-line flags. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { loadSchema } from './load-schema.ts';

/** Flags that define the answer. */
export interface OutputFlags {
  readonly schema?: string;
  readonly tag?: string;
  readonly mode?: string;
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
  mode,
  maxCorrections,
  retry,
}: OutputFlags): Promise<AnyOutputDefinition | undefined> {
  const shared = {
    ...(tag !== undefined && { tag }),
    // The definition rejects an unknown mode and lists the known ones.
    ...(mode !== undefined && { mode: mode as NonNullable<AnyOutputDefinition['mode']> }),
    ...(maxCorrections !== undefined && { maxCorrections }),
    ...(retry !== undefined && { retry }),
  };
  if (schema !== undefined) return Output.object({ ...shared, schema: await loadSchema(schema) });
  if (tag !== undefined) return Output.string({ ...shared, tag });
  if (mode === undefined) return undefined;
  throw new UsageError(`\`--mode ${mode}\` needs the schema of the answer. Pass \`--schema\`.`);
}
