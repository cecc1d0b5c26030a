/** Report of changes that run code on this machine, and the flags for them. */
import { InvalidArgumentError, Option } from 'commander';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { toTerminalText } from 'truecast/internal/support/terminal-text';
import { POLICY_LEVELS } from 'truecast/internal/support/policy-level';
import { isEditablePath } from 'truecast/internal/run/review/sensitive-changes-policy';
import { tell, type Terminal } from './print.ts';

const SHOWN_CHANGES = 20;

/** `--sensitive-changes`. */
export function sensitiveChangesOption(): Option {
  return new Option(
    '--sensitive-changes <level>',
    'merging changes that can run code on this machine later: refuse it, list them, or allow them (default: error for those that git runs, warn for others)',
  ).choices([...POLICY_LEVELS]);
}

/** `--secrets-in-commits`. */
export function secretsInCommitsOption(): Option {
  return new Option(
    '--secrets-in-commits <level>',
    'merging commits that contain a declared secret: refuse it, warn, or allow it (default: error)',
  ).choices([...POLICY_LEVELS]);
}

/** `--editable`. */
export function editableOption(): Option {
  return new Option(
    '--editable <path...>',
    'with --head: allow edits to this path, although it can run code on this machine later; such as .vscode/',
  ).argParser((path: string, before: readonly string[] | undefined) => {
    if (isEditablePath(path)) return [...(before ?? []), path];
    throw new InvalidArgumentError('Expected a path relative to the repository, such as .vscode/.');
  });
}

/**
 * Prints one line for each change. Paths come from the agent, so control characters are removed.
 */
export function tellSensitiveChanges(changes: readonly SensitiveChange[], terminal: Terminal): void {
  if (changes.length === 0) return;
  tell('Changes that run code on this machine later:', terminal);
  for (const { path, reason, runsAt, change, movedTo } of changes.slice(0, SHOWN_CHANGES)) {
    const moved = movedTo === undefined ? '' : `, moved to ${toTerminalText(movedTo)}`;
    tell(`  ${change} ${toTerminalText(path)} (${reason}, run by ${runsAt}${moved})`, terminal);
  }
  const rest = changes.length - SHOWN_CHANGES;
  if (rest > 0) tell(`  and ${rest} more; the JSON result lists all`, terminal);
}
