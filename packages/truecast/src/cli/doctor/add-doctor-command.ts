/** Flags and help of `truecast doctor`. */
import type { Command } from 'commander';
import type { DoctorFlags } from './doctor-command.ts';
import type { CommandContext } from '../flags/flag-values.ts';

/** Adds the command to the program. */
export function addDoctorCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('doctor')
    .description('Test the capabilities of this machine, and suggest fixes for missing ones.')
    .option('--all', 'also list each agent that is not installed')
    .option('--json', 'print { verdict, findings: [{ group, name, works, detail }] }')
    .option('--security', 'try to escape from each sandbox that works here, and print the results')
    .addHelpText('after', '\nExamples:\n  $ truecast doctor\n  $ truecast doctor --security')
    .action((flags: DoctorFlags) =>
      finish(
        async () =>
          flags.security === true
            ? (await import('./doctor-security-command.ts')).doctorSecurityCommand(flags, terminal)
            : (await import('./doctor-command.ts')).doctorCommand(flags, terminal),
        flags,
      ),
    );
}
