/** Check of the `env` options of every route: names and values that a process can have. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/**
 * Refuses an environment that no process can have. An absent one and absent values are accepted.
 *
 * @param name - the option, such as `env` or `sandbox.env`
 * @throws UsageError that names the variable, never its value
 */
export function assertEnv(name: string, env: unknown): void {
  if (env === undefined) return;
  if (!isRecord(env)) {
    throw new UsageError(
      `Expected \`${name}\` to be an object of strings, got ${kindOf(env)}. Write \`{ NAME: 'value' }\`.`,
    );
  }
  for (const [key, value] of Object.entries(env)) {
    if (key === '' || /[=\0]/u.test(key)) {
      throw new UsageError(
        `Expected the names in \`${name}\` to be names of variables, got ${describeValue(key)}. Correct the name.`,
      );
    }
    if (value === undefined) continue;
    if (typeof value !== 'string') {
      throw new UsageError(
        `Expected \`${name}.${key}\` to be a string, got ${kindOf(value)}. Write it as text: \`${key}: String(value)\`.`,
      );
    }
    if (value.includes('\0')) {
      throw new UsageError(
        `Expected \`${name}.${key}\` to contain no NUL character: no process can get it. Encode the value.`,
      );
    }
  }
}

/** The kind only: a value can be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
