/**
 * Prompt of a command: an argument, a flag, a file, or stdin. Adds the instruction for the answer
 * if it is missing.
 */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { makeTemporaryFolder } from 'truecast/internal/process/temporary-folder';
import { readTemplate } from 'truecast/internal/run/prompt/prepare-prompt';
import type { CommandTerminal } from '../terminal/print.ts';

export interface PromptFlags {
  /** `-` reads stdin. */
  readonly prompt?: string;
  /** `-` reads a template from stdin. */
  readonly promptFile?: string;
}

export interface ReadPrompt {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly promptArgs?: Readonly<Record<string, string>>;
}

const MAX_STDIN_CHARS = 16 * 1024 * 1024;
/**
 * The value of a template argument is never interpreted as a template. A schema in it can therefore
 * not run a command.
 */
const INSTRUCTION_KEY = 'TRUECAST_INSTRUCTION';

/**
 * Reads the prompt.
 *
 * @param word - the prompt, if it is an argument of the command
 * @param example - a call of the command with a prompt
 * @throws UsageError if there is no prompt, more than one, or an empty one
 */
export async function readPrompt(
  word: string | undefined,
  { prompt, promptFile }: PromptFlags,
  terminal: CommandTerminal,
  example: string,
): Promise<PromptFlags> {
  const given = [word, prompt, promptFile].filter((each) => each !== undefined);
  if (given.length > 1) {
    throw new UsageError(
      'The prompt is given more than once. Pass it as an argument, with `--prompt`, or with `--prompt-file`.',
    );
  }
  const text = word ?? prompt;
  const isFromStdin = given.length === 0 || text === '-' || promptFile === '-';
  if (!isFromStdin) return text === undefined ? { promptFile: promptFile ?? '' } : { prompt: notEmpty(text) };
  if (terminal.stdin.isTTY && given.length === 0) {
    throw new UsageError(`Expected a prompt. Write \`${example}\`, or pass \`--prompt-file\`.`);
  }
  const read = notEmpty(await readAll(terminal.stdin));
  return promptFile === '-' ? { promptFile: await copyTemplate(read) } : { prompt: read };
}

function notEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError('The prompt is empty. Pass it as an argument, with `--prompt-file`, or on stdin.');
}

async function readAll(stdin: AsyncIterable<string | Buffer>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_STDIN_CHARS) {
      throw new UsageError(`Expected a prompt of at most ${MAX_STDIN_CHARS} characters on stdin.`);
    }
  }
  return text + decoder.decode();
}

/**
 * Adds the instruction for the answer to a prompt that does not name the answer's tag.
 *
 * @param isTemplate - whether `prompt` is a template too, as in a batch
 */
export async function addInstruction(
  { prompt, promptFile }: PromptFlags,
  output: AnyOutputDefinition | undefined,
  { isTemplate = false }: { readonly isTemplate?: boolean } = {},
): Promise<ReadPrompt> {
  const text = promptFile === undefined ? (prompt ?? '') : await readTemplate(promptFile);
  if (output?.tag === undefined || text.includes(`<${output.tag}>`)) {
    return promptFile === undefined ? { prompt: text } : { promptFile };
  }
  const instruction = Output.instructions(output);
  if (promptFile === undefined && !isTemplate) return { prompt: `${text}\n\n${instruction}` };
  const template = `${text}\n\n{{${INSTRUCTION_KEY}}}\n`;
  return {
    ...(promptFile === undefined ? { prompt: template } : { promptFile: await copyTemplate(template) }),
    promptArgs: { [INSTRUCTION_KEY]: instruction },
  };
}

/** Writes a template to a temporary file, which is removed with the process. */
async function copyTemplate(text: string): Promise<string> {
  const folder = await makeTemporaryFolder('prompt');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'prompt.md');
  await writeFile(path, text);
  return path;
}

/** Parses the values of a repeatable flag. */
export function parseArguments(
  pairs: readonly string[],
  flag: '--arg' | '--metadata' = '--arg',
): Readonly<Record<string, string>> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new UsageError(`Expected \`${flag}\` to be KEY=VALUE, got \`${pair}\`.`);
  });
  return Object.fromEntries(entries);
}
