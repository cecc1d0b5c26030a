/** Output definition from the flags of a command. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { loadSchema } from './load-schema.ts';
import type { OutputFlags } from './output-flags.ts';

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
  question,
  decline,
}: OutputFlags): Promise<AnyOutputDefinition | undefined> {
  const shared = {
    ...(tag !== undefined && { tag }),
    // The definition rejects an unknown mode and lists the known ones.
    ...(mode !== undefined && { mode: mode as NonNullable<AnyOutputDefinition['mode']> }),
    ...(maxCorrections !== undefined && { maxCorrections }),
    ...(retry !== undefined && { retry }),
  };
  if (schema !== undefined) {
    const answer = { ...shared, schema: await loadSchema(schema) };
    if (question !== true && decline !== true) return Output.object(answer);
    return Output.object({
      ...answer,
      question: question === true ? true : undefined,
      ...(decline === true && { decline }),
    });
  }
  if (question === true || decline === true) {
    throw new UsageError('`--question` and `--decline` need the schema of the answer. Pass `--schema`.');
  }
  if (tag !== undefined) return Output.string({ ...shared, tag });
  if (mode === undefined) return undefined;
  throw new UsageError(`\`--mode ${mode}\` needs the schema of the answer. Pass \`--schema\`.`);
}
