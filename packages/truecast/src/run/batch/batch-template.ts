/** Prompt template of a batch. Read once, so that later changes of the file have no effect. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs } from '../prompt/prompt-args.ts';
import { readTemplate } from '../prompt/prepare-prompt.ts';
import { keysOf, parseTemplate } from '../prompt/prompt-template.ts';
import type { BatchInput } from './batch-queue.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';

/** A batch's prompt. */
export interface BatchTemplate {
  readonly text: string;
  /** Keys that are required in each input. */
  readonly keys: readonly string[];
  /** Path of a copy of the template. */
  readonly path: string;
  /** Returns the values of an input that the template uses. */
  argsOf(input: BatchInput): PromptArgs;
  remove(): Promise<void>;
}

/**
 * Reads the template and creates a copy for the runs.
 *
 * @throws UsageError if the file cannot be read
 */
export async function openBatchTemplate({ batch }: NormalizedBatchOptions): Promise<BatchTemplate> {
  const text = batch.promptFile === undefined ? (batch.prompt ?? '') : await readTemplate(batch.promptFile);
  const builtIns: readonly string[] = BUILT_IN_PROMPT_ARGS;
  const keys = keysOf(parseTemplate(text)).filter((key) => !builtIns.includes(key));
  const folder = await makeTemporaryFolder('batch');
  const path = join(folder, 'prompt.md');
  await writeFile(path, text);
  return {
    text,
    keys,
    path,
    argsOf: (input) =>
      Object.fromEntries(
        keys.filter((key) => Object.hasOwn(input, key)).map((key) => [key, toText(input[key])]),
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
