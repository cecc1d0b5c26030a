/**
 * Command group `truecast ensemble`: its subcommands and their flags. The implementation is loaded
 * when a command is called.
 */
import type { Command } from 'commander';
import { countOf, share, type CommandContext } from '../flags/flag-values.ts';
import type { EnsembleCheckFlags } from './ensemble-check-command.ts';
import type { EnsembleReportFlags } from './ensemble-report-command.ts';
import type { EnsembleReplayFlags } from './ensemble-replay-command.ts';
import type { EnsembleRunFlags } from './ensemble-run-command.ts';

const DIR =
  "folder with agents/, scenarios/ and models.yaml (default: ./ensembles, else the package's folder)";
const DATABASE =
  "database of the runs: a file or postgres://… (default: truecast.sqlite in the repository's state folder)";

/** Adds the group to the program. */
export function addEnsembleCommand(program: Command, { terminal, finish }: CommandContext): void {
  const group = program
    .command('ensemble')
    .description('Run event-agent scenarios, validate manifests, and report compliance.');
  group
    .command('run')
    .description('Run a scenario, show it live, and print its outcome.')
    .argument('[scenario]', 'name of a scenario; omit it with --resume')
    .option('--dir <dir>', DIR)
    .option('--seed <text>', "seed of the run (default: the scenario's)")
    .option('--turns <count>', 'stop after this number of turns; the judge then decides the outcome', countOf)
    .option('--database-url <url>', DATABASE)
    .option('--resume <run>', 'resume an interrupted run')
    .option('--json', 'print one event per line instead of the outcome')
    .option('--quiet', 'do not show the run')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast ensemble run museum-boat
  $ TRUECAST_BASE_URL=http://localhost:11434/v1 TRUECAST_MODEL=qwen3:8b truecast ensemble run forged-portrait --turns 3`,
    )
    .action((scenario: string | undefined, flags: EnsembleRunFlags) =>
      finish(
        async () => (await import('./ensemble-run-command.ts')).ensembleRunCommand(scenario, flags, terminal),
        {},
      ),
    );
  addReplay(group, { terminal, finish });
  addReport(group, { terminal, finish });
  addCheck(group, { terminal, finish });
}

function addReplay(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('replay')
    .description('Replay a run from its ledger. Without an id, list the runs.')
    .argument('[run]', 'id of a run')
    .option('--dir <dir>', DIR)
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print one event per line instead of the outcome')
    .option('--quiet', 'do not show the run')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble replay')
    .action((run: string | undefined, flags: EnsembleReplayFlags) =>
      finish(
        async () =>
          (await import('./ensemble-replay-command.ts')).ensembleReplayCommand(run, flags, terminal),
        {},
      ),
    );
}

function addReport(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('report')
    .description('Report how often agents complied, by agent, model and kind.')
    .argument('[runs...]', 'ids of runs (default: all stored runs)')
    .option('--min-first-try <share>', 'exit with 1 if fewer answers were valid on the first try', share)
    .option('--scenario <name>', 'only the runs of this scenario')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { runs, rows, missed }')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble report --min-first-try 0.9')
    .action((runs: readonly string[], flags: EnsembleReportFlags) =>
      finish(
        async () =>
          (await import('./ensemble-report-command.ts')).ensembleReportCommand(runs, flags, terminal),
        flags,
      ),
    );
}

function addCheck(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('check')
    .description('Validate the manifests of a folder: list every problem by file, line and column.')
    .argument('[dir]', 'the folder with agents/, scenarios/ and models.yaml', '.')
    .option('--json', 'print { problems, agents, scenarios } as JSON')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble check ./ensembles')
    .action((folder: string, flags: EnsembleCheckFlags) =>
      finish(
        async () =>
          (await import('./ensemble-check-command.ts')).ensembleCheckCommand(folder, flags, terminal),
        flags,
      ),
    );
}
