/** Flags and help of `truecast doctor`. */
import type { Command } from 'commander';
import { doctorCommand } from './doctor-command.ts';
import { doctorSecurityCommand, type DoctorFlags } from './doctor-security-command.ts';
import type { CommandContext } from './flags/flag-values.ts';

/** Adds the command to the program. */
export function addDoctorCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('doctor')
    .description('Test the capabilities of this machine, and suggest fixes for missing ones.')
    .option('--json', 'print the findings as JSON')
    .option('--security', 'try to escape from each sandbox that works here, and print the results')
    .addHelpText('after', '\nExamples:\n  $ truecast doctor\n  $ truecast doctor --security')
    .action((flags: DoctorFlags) =>
      finish(
        () =>
          flags.security === true ? doctorSecurityCommand(flags, terminal) : doctorCommand(flags, terminal),
        flags,
      ),
    );
}
