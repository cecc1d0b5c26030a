/**
 * Trusted configuration: git's configuration from before a guest could change it, mainly filter
 * drivers.
 */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { listConfig, type ConfigEntry } from '../command/config-entries.ts';
import { readDrivers, type FilterDriver } from '../filter-rules/filter-driver.ts';
import { creationFilters, hostFilters, neutralFilters } from '../filter-rules/host-filters.ts';
import { NO_HOOKS_PATH, type GitOptions } from '../command/git.ts';

/** Host configuration from before the guest. */
export interface TrustedConfig {
  /** Every filter driver that has a command. */
  readonly drivers: readonly FilterDriver[];
  /** Overrides that pin trusted drivers and turn off the others. */
  readonly hostFilters: readonly string[];
  /** The same for the checkout of a new worktree. */
  readonly creationFilters: readonly string[];
  /** Overrides that turn off every driver. Empty if agents run on the host. */
  readonly neutralFilters: readonly string[];
  /** Names of active attribute files outside of the repository. */
  readonly attributesFile: string | undefined;
  /**
   * `core.hooksPath` if it is relative to the checkout. Hooks are then in files that a guest can
   * write.
   */
  readonly relativeHooksPath: string | undefined;
  /** True if there is a remote `origin` to fetch from. */
  readonly hasOrigin: boolean;
}

export type StatusFilters = Pick<TrustedConfig, 'drivers' | 'hostFilters' | 'neutralFilters'>;

/** Filters of a status call if agents run on the host: git runs the configured ones. */
export const CONFIGURED_FILTERS: StatusFilters = { drivers: [], hostFilters: [], neutralFilters: [] };

/** Directories of the repository whose configuration is read. */
export interface ConfiguredRepository {
  /** Checkout in which git was called. */
  readonly topLevel: string;
  /** Every other checkout that contains the repository's files. */
  readonly otherTopLevels: readonly string[];
  readonly commonDir: string;
  readonly gitDir: string;
}

/**
 * Returns overrides that turn off every driver of a repository, for a call that has no
 * `TrustedConfig`.
 *
 * Any call that writes an index needs them, because git runs clean filters on files that are not
 * older than the index.
 */
export async function readNeutralFilters(options: GitOptions): Promise<string[]> {
  const entries = await listConfig(options);
  return neutralFiltersOf(entries);
}

/** Returns overrides that turn off every driver in a listing. */
export function neutralFiltersOf(entries: readonly Pick<ConfigEntry, 'key'>[]): string[] {
  const names = entries.flatMap(({ key }) => /^filter\.(.*)\.(clean|smudge|process)$/su.exec(key)?.[1] ?? []);
  return neutralFilters([...new Set(names)].map((name) => ({ name })));
}

/**
 * Decides which filters run on the host.
 *
 * @param hasGuests false if agents run on the host; filters then run as the user configured them
 */
export function judgeConfig(
  entries: readonly ConfigEntry[],
  repository: ConfiguredRepository,
  hasGuests: boolean,
): TrustedConfig {
  const { topLevel, otherTopLevels, commonDir, gitDir } = repository;
  const home = homedir();
  const drivers = readDrivers(entries, {
    topLevel,
    gitDirs: [commonDir, gitDir],
    roots: withRealPaths([topLevel, ...otherTopLevels, commonDir, gitDir]),
    home,
    searchPath: process.env['PATH'] ?? '',
  });
  const valueOf = (key: string): string | undefined => entries.findLast((entry) => entry.key === key)?.value;
  // The last entry is the override of this call.
  const hooksPath = entries.findLast(
    ({ key, value }) => key === 'core.hookspath' && value !== NO_HOOKS_PATH,
  )?.value;
  return {
    drivers,
    hostFilters: hasGuests ? hostFilters(drivers, home) : [],
    creationFilters: hasGuests ? creationFilters(drivers, home) : [],
    neutralFilters: hasGuests ? neutralFilters(drivers) : [],
    attributesFile: valueOf('core.attributesfile'),
    relativeHooksPath:
      hooksPath === undefined || /^([/~]|[A-Za-z]:|$)/u.test(hooksPath) ? undefined : hooksPath,
    hasOrigin: valueOf('remote.origin.url') !== undefined,
  };
}

function withRealPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, realpathSync(path)]))];
}
