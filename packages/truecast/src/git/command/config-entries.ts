/** Configuration entries: one listing of git's whole configuration, for every reader of a run. */
import { gitOutput, type GitOptions } from './git.ts';

/** One entry with its scope (`system`, `global`, `local`, `worktree`, `command`) and the file that sets it. */
export interface ConfigEntry {
  readonly scope: string;
  /** As git prints it: `file:<path>`, `command line:`, … */
  readonly origin: string;
  readonly key: string;
  /** Empty for a key without a value. */
  readonly value: string;
  /** False for a key without a value, which means `true`. */
  readonly hasValue: boolean;
}

/**
 * Lists the configuration in one process.
 *
 * @throws RepositoryError `git-failed`, `timeout`
 */
export async function listConfig(options: GitOptions): Promise<ConfigEntry[]> {
  const fields = (
    await gitOutput(['config', '-z', '--list', '--show-scope', '--show-origin'], options)
  ).split('\0');
  const entries: ConfigEntry[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(index, index + 3);
    entries.push({ scope, origin, ...parseConfigEntry(entry) });
  }
  return entries;
}

/** Parses `<key>\n<value>`. */
export function parseConfigEntry(entry: string): Pick<ConfigEntry, 'key' | 'value' | 'hasValue'> {
  const end = entry.indexOf('\n');
  if (end === -1) return { key: entry, value: '', hasValue: false };
  return { key: entry.slice(0, end), value: entry.slice(end + 1), hasValue: true };
}

/** Returns true if another checkout of the repository can have other entries. */
export function dependsOnCheckout(entries: readonly ConfigEntry[]): boolean {
  return entries.some(({ key }) => key === 'extensions.worktreeconfig' || key.startsWith('includeif.'));
}

/** Returns true if the repository lacks objects that a remote can send later. */
export function isPartialClone(entries: readonly Pick<ConfigEntry, 'key' | 'value'>[]): boolean {
  // Git writes the extension only in old versions.
  return entries.some(
    ({ key, value }) =>
      key === 'extensions.partialclone' || (/^remote\..+\.promisor$/su.test(key) && value !== 'false'),
  );
}

/** Returns the last value of a setting as git reads a boolean. False if it is not set. */
export function isSetTrue(entries: readonly ConfigEntry[], key: string): boolean {
  const last = entries.findLast((entry) => entry.key === key);
  if (last === undefined) return false;
  return !last.hasValue || /^(?:true|yes|on|[1-9]\d*)$/iu.test(last.value);
}
