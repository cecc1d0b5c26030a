/** `truecast clean`: lists leftovers of runs, and removes them on request. */
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { findLeftovers, removeLeftovers } from 'truecast/internal/run/leftovers/find-leftovers';
import type { Leftover } from 'truecast/internal/run/leftovers/leftover';
import { deadContainers } from 'truecast/internal/sandboxes/containers/host-labels';
import { CONTAINER_SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { OWN_COMMAND } from './terminal/own-command.ts';
import { EXIT, printLine, printResult, tell, type Terminal } from './terminal/print.ts';
import { timeLength, type CommandContext } from './flags/flag-values.ts';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';

interface CleanFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** In milliseconds. */
  readonly logsOlderThan?: number;
  readonly forceDirty?: readonly string[];
  readonly cwd?: string;
  readonly json?: boolean;
}

const SHOWN_FOLDERS = 5;

/**
 * Lists leftovers, and removes them with `--yes`. Exits with 1 if a removable leftover could not be
 * removed.
 */
async function cleanCommand(flags: CleanFlags, terminal: Terminal): Promise<void> {
  const repository = await openRepository(flags.cwd ?? process.cwd(), { timeoutMs: GIT_TIMEOUT_MS });
  const options = {
    repository,
    gitTimeoutMs: GIT_TIMEOUT_MS,
    logsOlderThanMs: flags.logsOlderThan,
    forcedDirty: flags.forceDirty ?? [],
    onWarning: (message: string) => tell(message, terminal),
    containers: CONTAINER_SANDBOXES.map(({ engine }) => deadContainers(engine)),
  };
  const found = await findLeftovers(options);
  assertKnown(options.forcedDirty, found);
  const isRemoving = flags.yes === true && flags.dryRun !== true;
  const results = isRemoving ? await removeLeftovers(found, options) : found;
  const removable = results.filter(({ keptBecause }) => keptBecause === undefined);
  const kept = results.filter(({ keptBecause }) => keptBecause !== undefined);
  if (flags.json === true) {
    await printResult({ [isRemoving ? 'removed' : 'removable']: removable, kept }, terminal);
  } else {
    for (const line of describeAll(isRemoving ? 'removed' : 'would remove', removable)) {
      printLine(line, terminal, isRemoving ? 'good' : undefined);
    }
    for (const leftover of kept) printLine(describe('kept', leftover), terminal, 'warning');
  }
  tellNext({ isRemoving, removable, kept }, terminal);
  const wereFree = found.filter(({ keptBecause }) => keptBecause === undefined).length;
  if (isRemoving && removable.length < wereFree) process.exitCode = EXIT.failed;
}

/**
 * @throws UsageError for a path that is not a leftover. Otherwise a mistyped path would be ignored
 * unnoticed
 */
function assertKnown(paths: readonly string[], found: readonly Leftover[]): void {
  const unknown = paths.find((path) => !found.some(({ name }) => name === resolve(path)));
  if (unknown !== undefined) {
    throw new UsageError(
      `Expected \`--force-dirty\` to name a listed worktree or git store, got \`${unknown}\`. \`truecast clean\` lists them.`,
    );
  }
}

/** Folders of killed processes are one line. */
function describeAll(what: string, leftovers: readonly Leftover[]): readonly string[] {
  const folders = leftovers.filter(({ kind }) => kind === 'temporary-folder');
  const others = leftovers.filter(
    ({ kind }) => kind !== 'temporary-folder' || folders.length <= SHOWN_FOLDERS,
  );
  const first = folders[0]?.name;
  return [
    ...others.map((leftover) => describe(what, leftover)),
    ...(folders.length > SHOWN_FOLDERS && first !== undefined
      ? [
          `${what}  ${folders.length} temporary folders of killed processes in ${dirname(first)} (--json lists them)`,
        ]
      : []),
  ];
}

function describe(what: string, { kind, name, keptBecause }: Leftover): string {
  const reason = keptBecause === undefined ? '' : `: ${keptBecause}`;
  return `${what}  ${kind}  ${name}${reason}`.replaceAll(/\p{Cc}/gu, ' ');
}

interface Outcome {
  readonly isRemoving: boolean;
  readonly removable: readonly Leftover[];
  readonly kept: readonly Leftover[];
}

function tellNext({ isRemoving, removable, kept }: Outcome, terminal: Terminal): void {
  if (removable.length + kept.length === 0) tell('There is nothing to clean.', terminal);
  else if (!isRemoving && removable.length > 0) {
    tell(`Nothing was removed. To remove the listed items: \`${OWN_COMMAND} clean --yes\`.`, terminal);
  }
  if (kept.some(({ hasWork }) => hasWork === true)) {
    tell(
      `To remove a worktree or git store with its work: \`${OWN_COMMAND} clean --yes --force-dirty PATH\`.`,
      terminal,
    );
  }
}

export function addCleanCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('clean')
    .description('List leftovers of finished runs, and remove them with --yes.')
    .option('--yes', 'remove the listed items; uncommitted or unmerged work is kept')
    .option('--dry-run', 'only list, even with --yes')
    .option(
      '--logs-older-than <time>',
      'also remove logs and kept runs older than this: 30d, 2w, …',
      timeLength,
    )
    .option('--force-dirty <path...>', 'remove this worktree or git store with its work')
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--json', 'print { removed or removable, kept }')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast clean
  $ truecast clean --yes --logs-older-than 30d`,
    )
    .action((flags: CleanFlags) => finish(() => cleanCommand(flags, terminal), flags));
}
