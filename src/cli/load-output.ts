/** Owns the answer that a command line asks for, from its flags. */
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition, Via } from '../output/definition.ts';
import { Output } from '../output/output.ts';
import { loadSchema } from './load-schema.ts';

/** The flags that say what the answer must be. */
export interface OutputFlags {
  readonly schema?: string;
  readonly tag?: string;
  readonly via?: string;
  readonly maxRetries?: number;
}

/** Makes the definition, or undefined where no flag asks for an answer. A tag without a schema asks for its text. */
export async function loadOutput({
  schema,
  tag,
  via,
  maxRetries,
}: OutputFlags): Promise<AnyOutputDefinition | undefined> {
  const shared = {
    ...(tag !== undefined && { tag }),
    // An unknown route is refused where the definition is made, with the known ones.
    ...(via !== undefined && { via: via as Via }),
    ...(maxRetries !== undefined && { maxRetries }),
  };
  if (schema !== undefined) return Output.object({ ...shared, schema: await loadSchema(schema) });
  if (tag !== undefined) return Output.string({ ...shared, tag });
  if (via === undefined) return undefined;
  throw new UsageError(`\`--via ${via}\` needs to know what the answer must be. Pass \`--schema\`.`);
}
