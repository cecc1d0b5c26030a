/**
 * Command group `truecast ensemble`: its subcommands and their flags. The implementation is loaded
 * when a command is called.
 */
import type { Command } from 'commander';
import { collect, countOf, share, type CommandContext } from '../flags/flag-values.ts';
import type { EnsembleCheckFlags } from './ensemble-check-command.ts';
import type { EnsembleEvalFlags } from './ensemble-eval-command.ts';
import type { EnsembleImportFlags } from './ensemble-import-command.ts';
import type { EnsembleInitFlags } from './ensemble-init-command.ts';
import type { EnsembleLeaderboardFlags } from './ensemble-leaderboard-command.ts';
import type { EnsembleListFlags } from './ensemble-list-command.ts';
import type { EnsembleReportFlags } from './ensemble-report-command.ts';
import type { EnsembleReplayFlags } from './ensemble-replay-command.ts';
import type { EnsembleRunFlags } from './ensemble-run-command.ts';
import type { EnsembleSayFlags } from './ensemble-say-command.ts';

const DIR =
  "folder with agents/, scenarios/ and models.yaml (default: ./ensembles, else the package's folder)";
const DATABASE =
  "database of the runs: a file or postgres://… (default: truecast.sqlite in the repository's state folder)";

export function addEnsembleCommand(program: Command, { terminal, finish }: CommandContext): void {
  const group = program
    .command('ensemble')
    .description('Run event-agent scenarios, validate manifests, and report compliance.');
  group
    .command('run')
    .description('Run a scenario, show it live, and print its outcome.')
    .argument(
      '[scenario]',
      'name of a scenario, as `truecast ensemble list` prints it; omit it with --resume',
    )
    .option('--dir <dir>', DIR)
    .option('--seed <text>', "seed of the run (default: the scenario's)")
    .option('--turns <count>', 'stop after this number of turns; the judge then decides the outcome', countOf)
    .option('--database-url <url>', DATABASE)
    .option('--resume <run>', 'resume an interrupted run')
    .option('--last-word', 'with --resume: end the run after a verdict of its judges')
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
  addEval(group, { terminal, finish });
  addFiles(group, { terminal, finish });
  addOthers(group, { terminal, finish });
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
    .option('--html <file>', 'write the run as one HTML page with a scrubber')
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
    .description('Report how often answers were valid, by agent, model and kind.')
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
    .argument(
      '[dir]',
      'the folder with agents/, scenarios/ and models.yaml (default: ./ensembles, else the current folder)',
    )
    .option('--json', 'print { problems, agents, scenarios } as JSON')
    .addHelpText('after', '\nExample:\n  $ truecast ensemble check ./ensembles')
    .action((folder: string | undefined, flags: EnsembleCheckFlags) =>
      finish(
        async () =>
          (await import('./ensemble-check-command.ts')).ensembleCheckCommand(folder, flags, terminal),
        flags,
      ),
    );
}

function addEval(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('eval')
    .description('Run scenarios with several models, and compare validity, time, cost and wins.')
    .argument('[scenarios...]', 'names of scenarios (default: all of the folder)')
    .option('--dir <dir>', DIR)
    .option('--model <name>', 'name in models.yaml, http://…/v1#model, or stub; repeatable', collect)
    .option('--runs <count>', 'runs of each model in each scenario', countOf, 3)
    .option('--name <name>', 'name of the evaluation; finished runs of it are not repeated', 'eval')
    .option('--min-first-try <share>', 'exit with 1 if fewer answers were valid on the first try', share)
    .option('--html <file>', 'write the comparison as one HTML page')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { name, runsPerCell, rows }')
    .addHelpText(
      'after',
      '\nExample:\n  $ truecast ensemble eval museum-boat --model http://localhost:11434/v1#qwen3:8b --runs 5',
    )
    .action((scenarios: readonly string[], flags: EnsembleEvalFlags) =>
      finish(
        async () =>
          (await import('./ensemble-eval-command.ts')).ensembleEvalCommand(scenarios, flags, terminal),
        flags,
      ),
    );
}

function addFiles(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('list')
    .description('List the scenarios of a folder.')
    .option('--dir <dir>', DIR)
    .option('--json', 'print the scenarios as JSON')
    .action((flags: EnsembleListFlags) =>
      finish(
        async () => (await import('./ensemble-list-command.ts')).ensembleListCommand(flags, terminal),
        flags,
      ),
    );
  group
    .command('import')
    .description('Import a run from the JSON that `truecast ensemble replay` printed.')
    .argument('<file>', 'output of `truecast ensemble replay RUN --json --quiet`')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { runIds }')
    .action((file: string, flags: EnsembleImportFlags) =>
      finish(
        async () =>
          (await import('./ensemble-import-command.ts')).ensembleImportCommand(file, flags, terminal),
        flags,
      ),
    );
}

function addOthers(group: Command, { terminal, finish }: CommandContext): void {
  group
    .command('leaderboard')
    .description('Show the wins of models and members over all stored runs.')
    .option('--scenario <name>', 'only the runs of this scenario')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { models, agents }')
    .action((flags: EnsembleLeaderboardFlags) =>
      finish(
        async () =>
          (await import('./ensemble-leaderboard-command.ts')).ensembleLeaderboardCommand(flags, terminal),
        flags,
      ),
    );
  group
    .command('init')
    .description("Copy the package's agents and scenarios into a new folder.")
    .argument('[dir]', 'the new folder', 'ensembles')
    .option('--json', 'print { folder }')
    .action((folder: string, flags: EnsembleInitFlags) =>
      finish(
        async () => (await import('./ensemble-init-command.ts')).ensembleInitCommand(folder, flags, terminal),
        flags,
      ),
    );
  group
    .command('say')
    .description('Send a message to a run that is in progress in another process.')
    .argument('<run>', 'id of the run, which the run prints at its start')
    .argument('<text>', 'the message')
    .option('--label <name>', 'name of the speaker')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { runId, id }')
    .action((runId: string, text: string, flags: EnsembleSayFlags) =>
      finish(
        async () =>
          (await import('./ensemble-say-command.ts')).ensembleSayCommand({ runId, text }, flags, terminal),
        flags,
      ),
    );
}
