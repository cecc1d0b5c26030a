/**
 * Late prompt expansion: built-in arguments and shell expressions, which need the branch and the
 * sandbox.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { PreparedPrompt } from './prepare-prompt.ts';
import type { BuiltInPromptArg, ExpressionPart, TemplatePart } from './prompt-template.ts';
import { buildCommand } from './shell-expression.ts';
import { runInTime } from '../../process/bounded-waits.ts';

/** Result of a shell expression's command. */
export interface ExpressionResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface ExpandPromptOptions {
  readonly builtIns: Readonly<Record<BuiltInPromptArg, string>>;
  /** Runs a command in the agent's environment. `signal` aborts it. */
  readonly exec: (command: string, signal: AbortSignal) => Promise<ExpressionResult>;
  readonly expressionTimeoutMs: number;
}

/**
 * Returns the prompt's final text. Shell expressions run in parallel. The first failure ends the
 * others.
 *
 * Command output is plain text: placeholders and expressions in it are not expanded.
 *
 * @throws SandboxError `exec` or `timeout`, with the expression
 */
export async function expandPrompt(prepared: PreparedPrompt, options: ExpandPromptOptions): Promise<string> {
  const valueOf = (key: string): string => valueIn(prepared, options, key);
  const others = new AbortController();
  try {
    const texts = await Promise.all(
      prepared.parts.map((part) => expandPart(part, valueOf, options, others.signal)),
    );
    return texts.join('');
  } finally {
    others.abort();
  }
}

function valueIn({ values }: PreparedPrompt, { builtIns }: ExpandPromptOptions, key: string): string {
  const all: Readonly<Record<string, string>> = builtIns;
  const value = Object.hasOwn(all, key) ? all[key] : values.get(key);
  if (value !== undefined) return value;
  throw new UsageError(`Expected a value for \`{{${key}}}\`, got none. Add it to \`promptArgs\`.`);
}

async function expandPart(
  part: TemplatePart,
  valueOf: (key: string) => string,
  options: ExpandPromptOptions,
  others: AbortSignal,
): Promise<string> {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'argument':
      return valueOf(part.key);
    case 'expression':
      return runExpression(part, buildCommand(part, valueOf), options, others);
    default:
      return part satisfies never;
  }
}

async function runExpression(
  { source }: ExpressionPart,
  command: string,
  { exec, expressionTimeoutMs }: ExpandPromptOptions,
  others: AbortSignal,
): Promise<string> {
  const { stdout, stderr, exitCode } = await runInTime(
    (signal) => exec(command, signal),
    { signal: others, timeoutMs: expressionTimeoutMs },
    () =>
      new SandboxError(
        `Expected the shell expression \`${cut(source)}\` to exit within ${expressionTimeoutMs} ms, but it did not. Make it faster, or raise \`timeouts.promptExpressionMs\`.`,
        { code: 'timeout', elapsedMs: expressionTimeoutMs },
      ),
  );
  if (exitCode === 0) return stdout.trimEnd();
  throw new SandboxError(
    `The shell expression \`${cut(source)}\` failed with exit code ${exitCode}: ${cut(stderr.trim() || stdout.trim() || 'it printed nothing')}. Run it in the sandbox to see more, or remove it from the prompt file.`,
    { code: 'exec', exitCode, stderrTail: stderr.slice(-2_000) },
  );
}
