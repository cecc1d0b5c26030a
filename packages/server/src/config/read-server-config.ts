/** Configuration parser with problems by member. Pure. */
import type { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { suggest } from '@truecast/core/internal/options/suggest';
import { describeInputIssue } from '../contract/describe-input-issue.ts';
import { SERVER_CONFIG_NAMES, serverConfigSchema, type ServerConfig } from './server-config.ts';

/**
 * Parses a configuration.
 *
 * @param subject - its name in messages, such as `The configuration \`truecast.config.ts\``
 * @throws UsageError that names each invalid member
 */
export function readServerConfig(value: unknown, subject: string): ServerConfig {
  const parsed = serverConfigSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap(describe);
  throw new UsageError(`${subject} is wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`);
}

function describe(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const next = path.length === 0 ? suggest(key, SERVER_CONFIG_NAMES) : undefined;
      return `\`${[...path, key].join('.')}\` is not a known option. ${next ?? 'Remove it.'}`;
    });
  return [`\`${path.join('.') || 'default'}\`: ${describeInputIssue(issue)}`];
}
