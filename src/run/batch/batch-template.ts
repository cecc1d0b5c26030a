/** Owns the prompt of a batch: read once, so that a change of its file in the middle changes nothing. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors/usage-error.ts';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs } from '../prompt/prompt-args.ts';
import { keysOf, parseTemplate } from '../prompt/prompt-template.ts';
import type { BatchInput } from './batch-queue.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** A batch's prompt. */
export interface BatchTemplate {
  readonly text: string;
  /** Keys that each input must have. */
  readonly keys: readonly string[];
  /** A copy of the template. */
  readonly path: string;
  /** The values of an input that the template names. */
  argsOf(input: BatchInput): PromptArgs;
  remove(): Promise<void>;
}

/**
 * Reads the template, and keeps a copy for the runs.
 *
 * @throws UsageError for a file that cannot be read
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

async function readTemplate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `The \`promptFile\` \`${path}\` cannot be read: ${cause instanceof Error ? cause.message : String(cause)}. Pass the path of a text file.`,
      { cause },
    );
  }
}
