/** Schema for an agent's native schema mode: lowers it, reports losses, and restores the answer. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import type { AgentProvider, NativeMode, NativeSchema } from '../../ports/agent-provider.ts';

/** Number of losses named in a warning. The rest is only counted. */
const MAX_NAMED_LOSSES = 10;

/**
 * Lowers an output's schema to the subset that the agent's schema mode accepts.
 *
 * @throws UsageError `unsupported` for parts that cannot be expressed, with their path in the JSON
 *   Schema
 */
export function lowerOutput(output: AnyOutputDefinition, nativeMode: NativeMode): NativeSchema {
  const schema = outputJsonSchema(output);
  if (schema === undefined)
    throw new UsageError('A text answer has no JSON Schema for the native mode. Set `tag`.');
  try {
    return nativeMode.lowerSchema(schema);
  } catch (cause) {
    if (!SchemaError.isInstance(cause)) throw cause;
    throw new UsageError(`${cause.message} Change the schema, or set \`tag\`.`, {
      code: 'unsupported',
      cause,
    });
  }
}

/**
 * Describes the schema rules that the agent's schema mode does not enforce. Undefined if there are
 * none.
 */
export function describeLosses({ name }: AgentProvider, { losses }: NativeSchema): string | undefined {
  if (losses.length === 0) return undefined;
  const named = losses
    .slice(0, MAX_NAMED_LOSSES)
    .map(({ path, keyword, reason }) => `\`${keyword}\` at \`/${path.join('/')}\` (${reason})`);
  const more = losses.length > named.length ? `; and ${losses.length - named.length} more` : '';
  return `The schema mode of \`${name}\` does not enforce the whole schema: ${named.join('; ')}${more}. The answer is still validated by the whole schema afterwards.`;
}
