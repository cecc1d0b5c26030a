/** Hooks of the user that a merge by hand would run. A merge of Truecast runs none. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { NO_HOOKS_PATH } from '../command/git.ts';
import type { Repository } from '../repository/repository.ts';

export interface SkippedHooksOptions {
  readonly repository: Repository;
  /** True if a new commit landed. */
  readonly isNewCommit: boolean;
  /** True if the files of the checkout were written. */
  readonly isCheckedOut: boolean;
  readonly onWarning: (message: string) => void;
}

const OF_COMMITS = ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg'];
const OF_CHECKOUTS = ['post-merge'];

/** Warns about hooks that would have run. */
export async function warnAboutSkippedHooks({
  repository,
  isNewCommit,
  isCheckedOut,
  onWarning,
}: SkippedHooksOptions): Promise<void> {
  const names = [...(isNewCommit ? OF_COMMITS : []), ...(isCheckedOut ? OF_CHECKOUTS : [])];
  const folder = await hooksFolder(repository);
  const skipped = names.filter((name) => isProgram(join(folder, name)));
  if (skipped.length === 0) return;
  onWarning(
    `hooks: A merge runs none of your git hooks, and \`${cut(folder)}\` contains ${skipped.map((name) => `\`${name}\``).join(', ')}. Run what they do in \`check\`, or by hand.`,
  );
}

async function hooksFolder({ configEntries, topLevel, commonDir }: Repository): Promise<string> {
  const path = (await configEntries()).findLast(
    ({ key, value }) => key === 'core.hookspath' && value !== NO_HOOKS_PATH,
  )?.value;
  if (path === undefined || path === '') return join(commonDir, 'hooks');
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(topLevel, path);
}

/** Git skips a hook that is not executable. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
