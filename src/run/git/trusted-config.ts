/** Owns what is taken from the repository's configuration before a guest can reach it: which programs git would start on file contents. */
import { git, NO_HOOKS_PATH, type GitOptions } from './git.ts';

/** What the host's configuration said before the guest. */
export interface TrustedConfig {
  /** Overrides that turn off every filter driver but git-lfs and git-crypt; for all calls on files that a guest may have written. */
  readonly neutralFilters: readonly string[];
  /** `core.hooksPath` when it is relative to the checkout: hooks then lie where a guest writes. */
  readonly relativeHooksPath: string | undefined;
  /** True when there is a remote `origin` to fetch from. */
  readonly hasOrigin: boolean;
}

/**
 * Reads the filter drivers and the hooks path that are in force.
 *
 * A filter may be a script of the repository (`clean = ./scripts/clean.sh`): run on a guest's worktree, it is the guest's script.
 * git-lfs and git-crypt stay: without them the files would be checked out as pointers and ciphertext, and look changed.
 */
export async function readTrustedConfig(options: GitOptions): Promise<TrustedConfig> {
  const { stdout } = await git(
    ['config', '-z', '--get-regexp', '^(filter\\..*|core\\.hookspath|remote\\.origin\\.url)$'],
    options,
  );
  const entries = stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n');
      return end === -1 ? ([entry, ''] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
    });
  // The last one is ours, from the command line.
  const hooksPath = entries.findLast(
    ([key, value]) => key === 'core.hookspath' && value !== NO_HOOKS_PATH,
  )?.[1];
  return {
    neutralFilters: neutralFilters(entries),
    relativeHooksPath:
      hooksPath === undefined || /^([/~]|[A-Za-z]:|$)/u.test(hooksPath) ? undefined : hooksPath,
    hasOrigin: entries.some(([key]) => key === 'remote.origin.url'),
  };
}

/** The command lines of git-lfs and git-crypt as they install themselves; anything longer could carry a second command. */
const KNOWN_COMMAND =
  /^(git[- ]lfs (clean|smudge|filter-process)( --skip)?( --)?( %f)?|"?git-crypt"? (clean|smudge)( --key-name=[\w-]+)?)$/u;

function neutralFilters(entries: readonly (readonly [key: string, value: string])[]): string[] {
  const names = new Set(
    entries
      .map(([key, value]) => ({ match: /^filter\.(.*)\.(clean|smudge|process)$/u.exec(key), value }))
      .filter(({ match, value }) => match !== null && !KNOWN_COMMAND.test(value))
      .map(({ match }) => match?.[1] ?? ''),
  );
  return [...names].flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
}
