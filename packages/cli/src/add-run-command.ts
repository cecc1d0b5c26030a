/** Flags and help of `truecast run`. */
import type { Command } from 'commander';
import type { CommandContext } from './flags/flag-values.ts';
import { addRunFlags, type GivenFlag, type RunFlags } from './flags/run-flags.ts';

/** Returns the flags that the caller gave, as words of a command line. */
function givenFlags(command: Command): readonly GivenFlag[] {
  return command.options.flatMap((option): readonly GivenFlag[] => {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    if (command.getOptionValueSource(name) !== 'cli') return [];
    const flag = option.long ?? option.flags;
    if (option.isBoolean()) return [{ flag, words: [flag] }];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return [{ flag, words: values.flatMap((each) => [flag, String(each)]) }];
  });
}

export function addRunCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('run')
    .description('Run a coding agent on a branch in a sandbox, and print its typed answer.')
    .argument('[prompt]', 'the prompt, literally; - or no prompt for stdin');
  addRunFlags(command)
    .addHelpText('after', EXAMPLES)
    .action((prompt: string | undefined, flags: RunFlags) =>
      finish(async () => {
        const { runCommand } = await import('./run-command.ts');
        await runCommand(prompt, { ...flags, given: givenFlags(command) }, terminal);
      }, flags),
    );
}

const EXAMPLES = `
Examples:
  $ truecast run "Find a bug and fix it." --schema bug.json
  $ git diff main | truecast run --agent codex:gpt-5.4 --schema ./schemas.ts#review
  $ truecast run "Fix the layout in the screenshot." --attach shot.png
  $ truecast run --prompt-file triage.md --arg ISSUE=42 --schema triage.json --mode native
  $ truecast run "Fix issue 42." --id issue-42 --merge
  $ truecast run "Say hello." --agent "command:node my-agent.mjs" --tag result --sandbox none`;
