/** Owns the group `truecast ensemble`: its subcommands and their flags. */
import type { Command } from 'commander';
import { countOf, share, type CommandContext } from '../flag-values.ts';
import { ensembleCheckCommand, type EnsembleCheckFlags } from './ensemble-check-command.ts';
import { ensembleReportCommand, type EnsembleReportFlags } from './ensemble-report-command.ts';
import { ensembleReplayCommand, type EnsembleReplayFlags } from './ensemble-replay-command.ts';
import { ensembleRunCommand, type EnsembleRunFlags } from './ensemble-run-command.ts';

const DIR =
  'the folder with agents/, scenarios/ and models.yaml (default: ./ensembles, else those of the package)';
const DATABASE = 'where runs are kept: a file, or postgres://… (default: .truecast/truecast.sqlite)';

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
    .option('--turns <count>', 'end after so many turns, with the last word of the judge', countOf)
    .option('--database-url <url>', DATABASE)
    .option('--resume <run>', 'play on where a run was cut off')
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
    .command('replay')
    .description('Show a run again from its ledger; without an id, list the runs.')
    .argument('[run]', 'id of a run')
    .option('--dir <dir>', DIR)
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print one event a line, in place of the outcome')
    .option('--quiet', 'show nothing of the play')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble replay')
    .action((run: string | undefined, flags: EnsembleReplayFlags) =>
      finish(() => ensembleReplayCommand(run, flags, terminal), {}),
    );
  group
    .command('report')
    .description('Tell how often agents complied, by agent, model and kind.')
    .argument('[runs...]', 'ids of runs (default: all that are kept)')
    .option('--min-first-try <share>', 'exit with 1 where fewer answers were valid at the first try', share)
    .option('--scenario <name>', 'only the runs of this scenario')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { runs, rows, missed }')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble report --min-first-try 0.9')
    .action((runs: readonly string[], flags: EnsembleReportFlags) =>
      finish(() => ensembleReportCommand(runs, flags, terminal), flags),
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
