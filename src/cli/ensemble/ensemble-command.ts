/** Owns the group `truecast ensemble`: its subcommands and their flags. */
import type { Command } from 'commander';
import { wholeNumber, type CommandContext } from '../flag-values.ts';
import { ensembleCheckCommand, type EnsembleCheckFlags } from './ensemble-check-command.ts';
import { ensembleRunCommand, type EnsembleRunFlags } from './ensemble-run-command.ts';

const DIR =
  'the folder with agents/, scenarios/ and models.yaml (default: ./ensembles, else those of the package)';

/** Adds the group to the program. */
export function addEnsembleCommand(program: Command, { terminal, finish }: CommandContext): void {
  const group = program
    .command('ensemble')
    .description('Play scenarios of event agents, judge their manifests, and tell how often they complied.');
  group
    .command('run')
    .description('Play a scenario live, and print what it came to.')
    .argument('[scenario]', 'name of a scenario; left out with --resume')
    .option('--dir <dir>', DIR)
    .option('--seed <text>', "what the run begins from (default: the scenario's)")
    .option('--turns <count>', 'end after so many turns, with the last word of the judge', wholeNumber)
    .option('--json', 'print one event a line, in place of the outcome')
    .option('--quiet', 'show nothing of the play')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast ensemble run museum-boat
  $ TRUECAST_BASE_URL=http://localhost:11434/v1 TRUECAST_MODEL=qwen3:8b truecast ensemble run forged-portrait --turns 3`,
    )
    .action((scenario: string | undefined, flags: EnsembleRunFlags) =>
      finish(() => ensembleRunCommand(scenario, flags, terminal), {}),
    );
  group
    .command('check')
    .description('Judge the manifests of a folder: every problem by file, line and column.')
    .argument('[dir]', 'the folder with agents/, scenarios/ and models.yaml', '.')
    .option('--json', 'print { problems, agents, scenarios } as JSON')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble check ./ensembles')
    .action((folder: string, flags: EnsembleCheckFlags) =>
      finish(() => ensembleCheckCommand(folder, flags, terminal), flags),
    );
}
