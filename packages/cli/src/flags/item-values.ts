/** Flags of a batch whose `{{KEY}}`s are replaced by the values of each input: paths on this machine. */
import { dirname, resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BatchInput } from 'truecast/internal/run/batch/batch-queue';
import { parseTemplate } from 'truecast/internal/run/prompt/prompt-template';
import { isPathWithin } from 'truecast/internal/support/path-within';

/** Returns true if a flag's value has a `{{KEY}}`. */
export function hasKeys(text: string): boolean {
  return parseTemplate(text).some(({ type }) => type === 'argument');
}

/**
 * Returns the path for an input. A value cannot leave the folder that the flag names before its first key,
 * so `shots/{{ID}}.png` is always below `shots`.
 *
 * @param flag - its name, for errors
 * @throws UsageError
 */
export function pathForInput(flag: string, text: string, input: BatchInput): string {
  const parts = parseTemplate(text);
  const filled = parts.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'argument') return valueOf(flag, part.key, input);
    throw new UsageError(`Expected no command in \`${flag}\`, got \`${text}\`. Use \`{{KEY}}\` alone.`);
  });
  const path = filled.join('');
  const [first] = parts;
  const start = first?.type === 'text' ? first.text : '';
  if (start === '' || !start.includes('/')) return path;
  // The folder of a path that begins with `start`, whatever name the value adds: `x` is such a name.
  const folder = dirname(resolve(`${start}x`));
  if (isPathWithin(folder, resolve(path))) return path;
  throw new UsageError(
    `\`${flag} ${text}\`: expected a path below \`${folder}\`, got \`${path}\`. Correct the value of the input.`,
  );
}

function valueOf(flag: string, key: string, input: BatchInput): string {
  const value = Object.hasOwn(input, key) ? input[key] : undefined;
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  throw new UsageError(
    `\`${flag}\` contains \`{{${key}}}\`: expected a non-empty string or a number in the input, got ${describeValue(value)}. Add the key to each line.`,
  );
}
