/** Parsers of flag values, and flags that commands share: limits, the branch and the server. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import type { CommandTerminal } from '../terminal/print.ts';
import type { RunTimeouts } from 'truecast/internal/run/options/run-bounds';

/** Services that the program offers to a command that registers itself. */
export interface CommandContext {
  readonly terminal: CommandTerminal;
  /** Runs the action, reports its failure, and sets the exit code. */
  finish(action: () => Promise<void>, flags: { readonly json?: boolean }): Promise<void>;
}

/** Parses a whole number of 0 or more. */
export function wholeNumber(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, 0 or greater.');
}

/** Parses a whole number of 1 or more. */
export function countOf(text: string): number {
  if (/^\d+$/u.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, 1 or greater.');
}

const MAX_SHUTDOWN_SECONDS = 3_600;

/** Parses the seconds of a graceful stop. */
export function shutdownSeconds(text: string): number {
  if (/^\d+$/u.test(text) && Number(text) > 0 && Number(text) <= MAX_SHUTDOWN_SECONDS) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MAX_SHUTDOWN_SECONDS}.`);
}

/**
 * Collects the values of a repeatable flag. Each occurrence takes one value, so that the prompt can
 * follow it.
 */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Parses a number above 0. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Expected a positive number.');
}

/** Parses a share between 0 and 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a number from 0 to 1, such as 0.9.');
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses a duration such as `30m`, `24h`, `7d` or `2w` into milliseconds. */
export function timeLength(text: string): number {
  const value = timeLengthOf(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('Expected a duration such as 30m, 24h, 7d or 2w.');
}

function timeLengthOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/u.exec(text);
  const unit = Object.entries(UNITS_MS).find(([name]) => name === match?.[2])?.[1];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** Parses a duration such as `90`, `90s` or `5m` into seconds. A plain number is in seconds. */
export function secondsOf(text: string): number {
  const isPlain = /^\d+(?:\.\d+)?$/u.test(text);
  const value = timeLengthOf(isPlain ? `${text}s` : text);
  if (value !== undefined && value > 0) return value / 1_000;
  throw new InvalidArgumentError('Expected a duration such as 90, 90s, 5m or 2h.');
}

export interface BudgetFlags {
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly budgetRequests?: number;
}

export function budgetOf({
  budgetTokens: tokens,
  budgetUsd: usd,
  budgetRequests: requests,
}: BudgetFlags): Pick<RunOptions, 'budget'> {
  const given = Object.entries({ tokens, usd, requests }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { budget: Object.fromEntries(given) };
}

/** Flags of time limits, and those that `addLimitFlags` adds. */
export interface LimitFlags {
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly onLimit?: 'wait' | 'fail';
  readonly maxLimitWait?: number;
}

/** Adds `--on-limit` and `--max-limit-wait`. */
export function addLimitFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--on-limit <policy>',
        'at a rate or usage limit of the model, fail or wait for its reset (default: fail)',
      ).choices(['wait', 'fail']),
    )
    .option(
      '--max-limit-wait <time>',
      'with --on-limit wait: maximum total wait of a run (default: 6h)',
      secondsOf,
    );
}

/** Adds `--timeout` and `--idle-timeout`. */
export function addTimeoutFlags(command: Command, { about }: { readonly about: string }): Command {
  return command
    .option('--timeout <time>', about, secondsOf)
    .option(
      '--idle-timeout <time>',
      'stop an agent that prints nothing for this long (default: 10m)',
      secondsOf,
    );
}

/** Converts flags with seconds to timeouts. */
export function timeoutsOf({ timeout, idleTimeout, maxLimitWait }: LimitFlags): RunTimeouts {
  return {
    ...(timeout !== undefined && { runMs: timeout * 1000 }),
    ...(idleTimeout !== undefined && { idleMs: idleTimeout * 1000 }),
    ...(maxLimitWait !== undefined && { limitWaitMs: maxLimitWait * 1000 }),
  };
}

/** Adds `--url` and `--token`, which select the server. */
export function addServerFlags(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'URL of the server (default: TRUECAST_URL, else the server started in this folder)',
    )
    .option('--token <token>', 'access token; prefer TRUECAST_TOKEN, which is not visible in process lists');
}

/** Flags that `addBranchFlags` adds. */
export interface BranchFlags {
  readonly branch?: string;
  readonly branchPrefix?: string;
  readonly publish?: 'pull-request';
  readonly merge?: boolean;
  readonly mergeCheck?: string;
  readonly head?: boolean;
  readonly readOnly?: boolean;
}

/** Adds `--branch`, `--branch-prefix`, `--publish`, `--merge`, `--merge-check`, `--head` and `--read-only`. */
export function addBranchFlags(command: Command): Command {
  return command
    .option('--branch <name>', 'work on this branch (default: a new one, never merged)')
    .option('--branch-prefix <prefix>', 'prefix of the new branch (default: truecast)')
    .addOption(
      new Option(
        '--publish <how>',
        'push the branch to origin, and open a pull request with gh; not with --merge or --head',
      )
        .choices(['pull-request'])
        .conflicts(['merge', 'head']),
    )
    .option('--merge', 'merge into the current branch after a valid answer')
    .option(
      '--merge-check <command>',
      'with --merge: a shell command that must exit with 0 on the merged files before they land',
    )
    .option('--head', 'work in the checkout itself, not in a new worktree')
    .addOption(
      new Option(
        '--read-only',
        'throw away what the agent writes: no branch, no commits; outside of a repository, it reads a copy of the folder',
      ).conflicts(['branch', 'branchPrefix', 'publish', 'merge', 'mergeCheck', 'head', 'editable']),
    );
}
