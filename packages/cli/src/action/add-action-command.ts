/** Arguments and help of `truecast action`. */
import { Argument, type Command } from 'commander';
import type { CommandContext } from '../flags/flag-values.ts';
import type { ActionStep } from './action-command.ts';

/** Listed here, so that the help loads no agent. */
const STEPS: Readonly<Record<ActionStep, true>> = { agent: true, publish: true };

export function addActionCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('action')
    .description(
      'Run as a step of a workflow: inputs from INPUT_* variables, results in GITHUB_OUTPUT and the summary.',
    )
    .addArgument(
      new Argument('[step]', 'run an agent, or publish the patch of another job')
        .choices(Object.keys(STEPS))
        .default('agent'),
    )
    .addHelpText(
      'after',
      `
The inputs have the names of the flags of \`truecast run\`: INPUT_SCHEMA is --schema.
Example, as a step of a workflow:
  $ INPUT_AGENT=claude-code INPUT_PROMPT="Triage {{EVENT_TITLE}}" INPUT_SCHEMA=triage.json truecast action`,
    )
    .action((step: ActionStep) =>
      finish(async () => (await import('./action-command.ts')).actionCommand(step, terminal), {}),
    );
}
