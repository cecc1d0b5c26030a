/** Owns the group `truecast ensemble`: its subcommands and their flags. */
import type { Command } from 'commander';
import type { CommandContext } from '../flag-values.ts';
import { ensembleCheckCommand, type EnsembleCheckFlags } from './ensemble-check-command.ts';

/** Adds the group to the program. */
export function addEnsembleCommand(program: Command, { terminal, finish }: CommandContext): void {
  const group = program
    .command('ensemble')
    .description('Play scenarios of event agents, judge their manifests, and tell how often they complied.');
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
