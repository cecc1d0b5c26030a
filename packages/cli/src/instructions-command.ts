/** `truecast instructions`: prints answer instructions to paste into a prompt. */
import type { Command } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import type { CommandContext } from './flags/flag-values.ts';
import { loadOutput } from './flags/load-output.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { printResult, printText, type Terminal } from './terminal/print.ts';

interface InstructionsFlags extends OutputFlags {
  readonly json?: boolean;
}

/**
 * Prints the answer instructions: tag, type, one example.
 *
 * @throws UsageError if no flag defines the answer
 */
async function instructionsCommand(flags: InstructionsFlags, terminal: Terminal): Promise<void> {
  const output = await loadOutput(flags);
  if (output === undefined) {
    throw new UsageError(
      '`truecast instructions` needs to know the form of the answer. Pass `--schema`, `--tag` or both.',
    );
  }
  const instructions = Output.instructions(output);
  if (flags.json === true) await printResult({ instructions }, terminal);
  else printText(`${instructions}\n`, terminal);
}

export function addInstructionsCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('instructions')
    .description('Print answer instructions to paste into a prompt.')
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--tag <name>', 'the answer is between <name> and </name>')
    .option('--json', 'print { instructions }')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast instructions --schema bug.json --tag result
  $ truecast instructions --schema ./schemas.ts#triage --tag result >> prompt.md`,
    )
    .action((flags: InstructionsFlags) => finish(() => instructionsCommand(flags, terminal), flags));
}
