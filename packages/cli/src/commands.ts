/** Command table: each subcommand's group in the help, and the module that registers it. */
import type { Command } from 'commander';
import type { CommandContext } from './flags/flag-values.ts';

export type AddCommand = (program: Command, context: CommandContext) => void;

/** A subcommand before it is loaded. */
export interface CommandEntry {
  readonly group: 'Try' | 'Work' | 'Serve' | 'Inspect' | 'Set up';
  /** True if the command describes all others. They are then loaded too. */
  readonly needsAll?: true;
  load(): Promise<AddCommand>;
}

const addImage = async (): Promise<AddCommand> => (await import('./image-command.ts')).addImageCommands;
const addServe = async (): Promise<AddCommand> =>
  (await import('./serve/serve-commands.ts')).addServeCommands;

/** The usual commands, in the order of `truecast --help`. `truecast help --all` lists all commands. */
export const FRONT_COMMANDS: readonly string[] = [
  'run',
  'batch',
  'check',
  'extract',
  'doctor',
  'init',
  'serve',
  'mock',
];

/** The subcommands, in the order of `truecast help --all`. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: { group: 'Try', load: async () => (await import('./demo/demo-command.ts')).addDemoCommand },
  mock: { group: 'Try', load: async () => (await import('./mock/mock-command.ts')).addMockCommand },
  run: { group: 'Work', load: async () => (await import('./add-run-command.ts')).addRunCommand },
  extract: { group: 'Work', load: async () => (await import('./extract-command.ts')).addExtractCommand },
  batch: { group: 'Work', load: async () => (await import('./add-batch-command.ts')).addBatchCommand },
  compare: {
    group: 'Work',
    load: async () => (await import('./compare/add-compare-command.ts')).addCompareCommand,
  },
  action: {
    group: 'Work',
    load: async () => (await import('./action/add-action-command.ts')).addActionCommand,
  },
  check: { group: 'Work', load: async () => (await import('./check-command.ts')).addCheckCommand },
  instructions: {
    group: 'Work',
    load: async () => (await import('./instructions-command.ts')).addInstructionsCommand,
  },
  serve: { group: 'Serve', load: addServe },
  worker: { group: 'Serve', load: addServe },
  link: { group: 'Serve', load: addServe },
  chat: { group: 'Serve', load: addServe },
  usage: { group: 'Serve', load: addServe },
  token: { group: 'Serve', load: addServe },
  data: { group: 'Serve', load: addServe },
  runs: { group: 'Serve', load: async () => (await import('./runs/runs-commands.ts')).addRunsCommands },
  report: { group: 'Inspect', load: async () => (await import('./report-command.ts')).addReportCommand },
  ensemble: {
    group: 'Inspect',
    load: async () => (await import('./ensemble/ensemble-command.ts')).addEnsembleCommand,
  },
  clean: { group: 'Inspect', load: async () => (await import('./clean-command.ts')).addCleanCommand },
  doctor: {
    group: 'Inspect',
    load: async () => (await import('./doctor/add-doctor-command.ts')).addDoctorCommand,
  },
  init: { group: 'Set up', load: async () => (await import('./init/init-command.ts')).addInitCommand },
  allow: { group: 'Set up', load: async () => (await import('./allow-command.ts')).addAllowCommand },
  completion: {
    group: 'Set up',
    needsAll: true,
    load: async () => (await import('./completion-command.ts')).addCompletionCommand,
  },
  docker: { group: 'Set up', load: addImage },
  podman: { group: 'Set up', load: addImage },
};
