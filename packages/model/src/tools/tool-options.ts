/** Options that go with `tools`, and the check of what excludes them. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';

/** Options of `generate()` that matter for its tools. */
export interface ToolOptions {
  readonly tools?: object;
  readonly maxSteps?: number;
  readonly output: AnyOutputDefinition;
  readonly mode?: string;
  readonly lenient?: boolean;
  readonly onStep?: unknown;
  readonly onPartial?: unknown;
}

/**
 * Rejects options that need tools, and those that exclude them.
 *
 * @throws UsageError that names the option
 */
export function assertToolOptions(options: ToolOptions): void {
  const { tools, maxSteps, onStep, output } = options;
  if (onStep !== undefined) assertKind(onStep, 'a function', 'onStep', 'Pass one, or leave it out.');
  if (tools === undefined) {
    const other = maxSteps !== undefined ? 'maxSteps' : onStep !== undefined ? 'onStep' : undefined;
    if (other === undefined) return;
    throw new UsageError(`Expected \`tools\` with \`${other}\`, got none. Set \`tools\`, or leave it out.`);
  }
  assertKind(tools, 'an object', 'tools', 'Pass `{ name: { description, inputSchema, execute } }`.');
  for (const [name, next] of Object.entries(excludedBy(options))) {
    throw new UsageError(`\`${name}\` is not supported with \`tools\`. ${next}`, { code: 'unsupported' });
  }
  if (outputJsonSchema(output) !== undefined) return;
  throw new UsageError(
    'Expected `output` to have a JSON Schema with `tools`, got a text. Use `Output.object({ schema })`.',
    { code: 'unsupported' },
  );
}

/** Returns the options that exclude tools, each with the next step. */
function excludedBy({ mode, output, lenient, onPartial }: ToolOptions): Readonly<Record<string, string>> {
  const asked = mode === undefined || mode === 'auto' ? output.mode : mode;
  return {
    ...(output.tag !== undefined && { tag: 'Leave it out: the answer is submitted by a call.' }),
    ...(asked !== undefined &&
      asked !== 'tool' && { [`mode: '${asked}'`]: "Use `mode: 'tool'`, or leave it out." }),
    ...(lenient === true && { lenient: 'Leave it out.' }),
    ...(onPartial !== undefined && { onPartial: 'Leave it out, and await the answer: use `onStep`.' }),
  };
}
