/** Early prompt validation on the host, before any resource is created. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readChosenFile } from '../../support/open-chosen-file.ts';
import {
  BUILT_IN_PROMPT_ARGS,
  type BuiltInPromptArg,
  type PromptArgs,
  keysOf,
  parseTemplate,
  type TemplatePart,
} from './prompt-template.ts';
import { buildCommand } from './shell-expression.ts';

/** Size limit of a prompt file, much larger than any model's context window. */
const MAX_PROMPT_FILE_BYTES = 16 * 1024 * 1024;

/** Source of a prompt: exactly one of `prompt` and `promptFile`. */
export interface PromptSource {
  readonly prompt?: string | undefined;
  /** Relative to the process's working directory. */
  readonly promptFile?: string | undefined;
  readonly promptArgs?: PromptArgs | undefined;
}

/**
 * A prompt with validated arguments. `expandPrompt` fills in built-in arguments and shell
 * expressions.
 */
export interface PreparedPrompt {
  readonly parts: readonly TemplatePart[];
  readonly values: ReadonlyMap<string, string>;
  /** The known text of the prompt. A NUL replaces each shell expression and built-in argument. */
  readonly text: string;
  /** True if the output of shell expressions will be added to `text`. */
  readonly hasExpressions: boolean;
  /** Warnings about arguments that the template does not use. */
  readonly warnings: readonly string[];
}

/**
 * Reads a prompt and validates its arguments.
 *
 * An inline prompt is used literally, including any `{{X}}`.
 *
 * @throws UsageError for an unreadable file, arguments with an inline prompt, a missing argument,
 *   an override of a built-in argument, or a value of another type
 */
export async function preparePrompt({
  prompt,
  promptFile,
  promptArgs = {},
}: PromptSource): Promise<PreparedPrompt> {
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw new UsageError(
      `Expected exactly one of \`prompt\` and \`promptFile\`, got ${prompt === undefined ? 'neither' : 'both'}. Pass the text, or the path of a template.`,
    );
  }
  if (promptFile === undefined) return inlinePrompt(prompt ?? '', promptArgs);
  const parts = parseTemplate(await readTemplate(promptFile));
  const values = checkArguments(keysOf(parts), promptArgs);
  const keys = new Set(keysOf(parts));
  const warnings = Object.keys(promptArgs)
    .filter((key) => !keys.has(key))
    .map((key) => `The prompt argument \`${key}\` is not used by \`${promptFile}\`.`);
  const prepared = { parts, values, text: knownText(parts, values), warnings };
  assertExpressions(parts, values);
  return { ...prepared, hasExpressions: parts.some((part) => part.type === 'expression') };
}

function inlinePrompt(prompt: string, promptArgs: PromptArgs): PreparedPrompt {
  if (typeof prompt !== 'string') {
    throw new UsageError(
      `Expected \`prompt\` to be a string, got ${describeValue(prompt)}. Pass the prompt's text.`,
    );
  }
  if (Object.keys(promptArgs).length > 0) {
    throw new UsageError(
      '`promptArgs` cannot be used with an inline `prompt`, which is taken literally. Insert the values into the prompt, or write it to a file and set `promptFile`.',
    );
  }
  const parts = [{ type: 'text' as const, text: prompt }];
  return { parts, values: new Map(), text: prompt, hasExpressions: false, warnings: [] };
}

/** Reads the text of a `promptFile`. @throws UsageError */
export async function readTemplate(promptFile: string): Promise<string> {
  try {
    return await readChosenFile(promptFile, MAX_PROMPT_FILE_BYTES);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `The \`promptFile\` \`${promptFile}\` cannot be read: ${reason}. Pass the path of a text file.`,
      { cause },
    );
  }
}

function checkArguments(keys: readonly string[], promptArgs: PromptArgs): Map<string, string> {
  const overridden = BUILT_IN_PROMPT_ARGS.find((key) => Object.hasOwn(promptArgs, key));
  if (overridden !== undefined) {
    throw new UsageError(
      `The prompt argument \`${overridden}\` is set by the run and cannot be passed. Use another name for your argument.`,
    );
  }
  const values = new Map(
    Object.entries(promptArgs).map(([key, value]) => [key, toText(key, value)] as const),
  );
  const missing = keys.filter((key) => !values.has(key) && !isBuiltIn(key));
  if (missing.length === 0) return values;
  const known = [...values.keys(), ...BUILT_IN_PROMPT_ARGS].map((key) => `\`${key}\``).join(', ');
  throw new UsageError(
    `Expected a prompt argument for each placeholder, got none for ${missing.map((key) => `\`{{${key}}}\``).join(', ')}; available are ${known}. Add it to \`promptArgs\`, or remove the placeholder.`,
  );
}

function toText(key: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  throw new UsageError(
    `Expected the prompt argument \`${key}\` to be a string, number or boolean, got ${describeValue(value)}. Pass one of these.`,
  );
}

function isBuiltIn(key: string): key is BuiltInPromptArg {
  return BUILT_IN_PROMPT_ARGS.some((builtIn) => builtIn === key);
}

/**
 * Inserts a NUL for unknown parts. Without it, the joined neighbors could form a text that is not
 * in the prompt.
 */
function knownText(parts: readonly TemplatePart[], values: ReadonlyMap<string, string>): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      return (part.type === 'argument' ? values.get(part.key) : undefined) ?? '\0';
    })
    .join('');
}

/**
 * Builds each command once to detect invalid values. Built-in arguments are still unknown and
 * always valid.
 */
function assertExpressions(parts: readonly TemplatePart[], values: ReadonlyMap<string, string>): void {
  for (const part of parts) {
    if (part.type === 'expression') buildCommand(part, (key) => values.get(key) ?? '');
  }
}
