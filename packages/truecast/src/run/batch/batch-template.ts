/** Prompt template of a batch. Read once, so that later changes of the file have no effect. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs, keysOf, parseTemplate } from '../prompt/prompt-template.ts';
import { readTemplate } from '../prompt/prepare-prompt.ts';
import type { BatchInput } from './batch-queue.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';

export interface BatchTemplate {
  readonly text: string;
  /** Keys that are required in each input. */
  readonly keys: readonly string[];
  /** Path of a copy of the template. */
  readonly path: string;
  /** Values that all items share. */
  readonly shared: PromptArgs;
  /** Returns the values of an input that the template uses. */
  argsOf(input: BatchInput): PromptArgs;
  remove(): Promise<void>;
}

/**
 * Reads the template and creates a copy for the runs.
 *
 * @throws UsageError if the file cannot be read, or does not use the key of a shared value
 */
export async function openBatchTemplate({ batch }: NormalizedBatchOptions): Promise<BatchTemplate> {
  const text = batch.promptFile === undefined ? (batch.prompt ?? '') : await readTemplate(batch.promptFile);
  const builtIns: readonly string[] = BUILT_IN_PROMPT_ARGS;
  const shared = batch.promptArgs ?? {};
  const used = keysOf(parseTemplate(text)).filter((key) => !builtIns.includes(key));
  assertUsed(shared, used);
  const keys = used.filter((key) => !Object.hasOwn(shared, key));
  const folder = await makeTemporaryFolder('batch');
  const path = join(folder, 'prompt.md');
  await writeFile(path, text);
  return {
    text,
    keys,
    path,
    shared,
    argsOf: (input) => ({
      ...Object.fromEntries(
        keys.filter((key) => Object.hasOwn(input, key)).map((key) => [key, inputText(input[key])]),
      ),
      ...shared,
    }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function assertUsed(shared: PromptArgs, used: readonly string[]): void {
  for (const [key, value] of Object.entries(shared)) {
    if (!used.includes(key)) {
      throw new UsageError(
        `\`promptArgs\` has \`${key}\`, but the prompt has no \`{{${key}}}\`. Remove it, or add it to the prompt.`,
      );
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new UsageError(
        `Expected \`${key}\` of \`promptArgs\` to be a string, a number or a boolean, got ${describeValue(value)}. Convert it to text.`,
      );
    }
  }
}

/** Returns the text of an input's value: strings as they are written, others as JSON. */
export function inputText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
