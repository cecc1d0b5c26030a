/** Configuration parser with problems by member. Pure. */
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { suggest } from '@truecast/core/internal/options/suggest';
import { describeInputIssue } from '../contract/describe-input-issue.ts';
import { SERVER_CONFIG_NAMES, serverConfigSchema, type ServerConfig } from './server-config.ts';

/**
 * Parses a configuration.
 *
 * @param subject - its name in messages, such as `The configuration \`truecast.config.ts\``
 * @param others - options beside the configuration, for suggestions
 * @throws UsageError that names each invalid member
 */
export function readServerConfig(
  value: unknown,
  subject: string,
  others: readonly string[] = [],
): ServerConfig {
  const parsed = serverConfigSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describe(issue, others));
  throw new UsageError(`${subject} is wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`);
}

/** Returns the names of the members at a path of the schema. Empty where they cannot be read. */
function namesAt(path: readonly string[]): readonly string[] {
  if (path.length === 0) return SERVER_CONFIG_NAMES;
  let schema: unknown = serverConfigSchema;
  for (const key of path) {
    const shape = shapeOf(schema);
    schema = shape === undefined ? undefined : Reflect.get(shape, key);
  }
  return Object.keys(shapeOf(schema) ?? {});
}

/** An optional member hides its object. */
function shapeOf(schema: unknown): object | undefined {
  const part = schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  return part instanceof z.ZodObject ? part.shape : undefined;
}

function describe(issue: z.core.$ZodIssue, others: readonly string[]): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const next = suggest(key, path.length === 0 ? [...namesAt(path), ...others] : namesAt(path));
      return `\`${[...path, key].join('.')}\` is not a known option. ${next ?? 'Remove it.'}`;
    });
  }
  return [`\`${path.join('.') || 'default'}\`: ${describeInputIssue(issue)}`];
}
