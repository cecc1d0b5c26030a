/** Interactive input of missing prompt arguments on the terminal. */
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs } from './prompt-args.ts';
import { readTemplate, type PromptSource } from './prepare-prompt.ts';
import { keysOf, parseTemplate } from './prompt-template.ts';

/**
 * Asks the user for missing arguments of a prompt file. Without a terminal or a prompt file, the
 * arguments stay unchanged.
 *
 * @throws InterruptedError if the user cancels
 */
export async function askPromptArgs({ promptFile, promptArgs = {} }: PromptSource): Promise<PromptArgs> {
  if (promptFile === undefined || !process.stdin.isTTY || !process.stdout.isTTY) return promptArgs;
  const template = await readTemplate(promptFile).catch(() => '');
  const known: readonly string[] = [...Object.keys(promptArgs), ...BUILT_IN_PROMPT_ARGS];
  const missing = [...new Set(keysOf(parseTemplate(template)))].filter((key) => !known.includes(key));
  if (missing.length === 0) return promptArgs;
  // Loaded only for a question, because it slows down the import of the package.
  const { isCancel, text } = await import('@clack/prompts');
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
