/** Flags and help of `truecast doctor`. */
import { Option, type Command } from 'commander';
import type { DoctorFlags } from './doctor-command.ts';
import type { CommandContext } from '../flags/flag-values.ts';

export function addDoctorCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('doctor')
    .description('Test the capabilities of this machine, and suggest fixes for missing ones.')
    .option('--all', 'also list each agent that is not installed')
    .option('--json', 'print { verdict, findings: [{ group, name, works, detail }] }')
    .option(
      '--model <model>',
      'test a model: http://…/v1, http://…/v1#NAME, or local:NAME at TRUECAST_BASE_URL; print its entry for models.yaml',
    )
    .option(
      '--model-name <name>',
      'model to test, if --model does not name one (default: the first that the server lists)',
    )
    .addOption(
      new Option(
        '--security',
        'try to escape from each sandbox that works here, and print the results',
      ).conflicts(['all', 'model', 'modelName']),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ truecast doctor\n  $ truecast doctor --security\n  $ truecast doctor --model http://localhost:11434/v1#qwen3:8b\n  $ truecast doctor --model local:qwen3:8b',
    )
    .action((flags: DoctorFlags) => finish(() => commandOf(flags, terminal), flags));
}

async function commandOf(flags: DoctorFlags, terminal: CommandContext['terminal']): Promise<void> {
  if (flags.model !== undefined) {
    const { doctorModelCommand } = await import('./doctor-model-command.ts');
    await doctorModelCommand(flags, terminal);
  } else if (flags.security === true) {
    const { doctorSecurityCommand } = await import('./doctor-security-command.ts');
    await doctorSecurityCommand(flags, terminal);
  } else {
    const { doctorCommand } = await import('./doctor-command.ts');
    await doctorCommand(flags, terminal);
  }
}
