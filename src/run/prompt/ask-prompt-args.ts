/** Owns asking a person on the terminal for the arguments that a prompt template wants and nobody gave. */
import { readFile } from 'node:fs/promises';
import { isCancel, text } from '@clack/prompts';
import { InterruptedError } from '../../errors/interrupted-error.ts';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs } from './prompt-args.ts';
import type { PromptSource } from './prepare-prompt.ts';
import { keysOf, parseTemplate } from './prompt-template.ts';

/**
 * Completes the arguments of a prompt file by asking; without a terminal, or a prompt file, they stay as they are.
 *
 * @throws InterruptedError when the person cancels
 */
export async function askPromptArgs({ promptFile, promptArgs = {} }: PromptSource): Promise<PromptArgs> {
  if (promptFile === undefined || !process.stdin.isTTY || !process.stdout.isTTY) return promptArgs;
  const template = await readFile(promptFile, 'utf8').catch(() => '');
  const known: readonly string[] = [...Object.keys(promptArgs), ...BUILT_IN_PROMPT_ARGS];
  const missing = [...new Set(keysOf(parseTemplate(template)))].filter((key) => !known.includes(key));
  const answers: Record<string, string> = {};
  for (const key of missing) {
    const answer = await text({ message: `{{${key}}}` });
    if (isCancel(answer)) {
      throw new InterruptedError('The question was cancelled, so the session was not started.', {
        processSignal: 'SIGINT',
      });
    }
    answers[key] = answer;
  }
  return { ...promptArgs, ...answers };
}
