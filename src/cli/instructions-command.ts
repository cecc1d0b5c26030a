/** Owns `truecast instructions`: the text to paste into a prompt. */
import type { Command } from 'commander';
import { UsageError } from '../errors/usage-error.ts';
import { Output } from '../output/output.ts';
import type { CommandContext } from './flag-values.ts';
import { loadOutput, type OutputFlags } from './load-output.ts';
import type { Terminal } from './print.ts';

/**
 * Prints what tells an agent how to answer: tag, JSON Schema, one example.
 *
 * @throws UsageError when no flag says what the answer must be
 */
async function instructionsCommand(flags: OutputFlags, { stdout }: Terminal): Promise<void> {
  const output = await loadOutput(flags);
  if (output === undefined)
    throw new UsageError(
      '`truecast instructions` needs `--schema`, `--tag`, or both: what the answer must be.',
    );
  stdout.write(`${Output.instructions(output)}\n`);
}

/** Adds the command to the program. */
export function addInstructionsCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('instructions')
    .description('Print the text that tells an agent how to answer, to paste into a prompt.')
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--tag <name>', 'the answer stands between <name> and </name>')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast instructions --schema bug.json --tag result
  $ truecast instructions --schema ./schemas.ts#triage --tag result >> prompt.md`,
    )
    .action((flags: OutputFlags) => finish(() => instructionsCommand(flags, terminal), {}));
}
