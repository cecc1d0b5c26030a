/**
 * Allowlist for the configuration of a guest's git store: no credentials, and only entries that git
 * needs inside. Pure.
 */

import { parseConfigEntry, type ConfigEntry } from '../../git/command/config-entries.ts';

/** The fields of an entry that decide whether a guest gets it. */
type Entry = Pick<ConfigEntry, 'scope' | 'key' | 'value' | 'hasValue'>;

/**
 * Keys that are copied to a guest's store. `filter`, `diff` and `merge` programs run only inside.
 */
const ALLOWED: readonly RegExp[] = [
  /^core\.(eol|autocrlf|safecrlf|filemode|ignorecase|precomposeunicode|symlinks|quotepath|abbrev|sparsecheckout|sparsecheckoutcone|hookspath|attributesfile|excludesfile|worktree)$/u,
  /^index\.sparse$/u,
  /^extensions\.(objectformat|partialclone)$/u,
  /^user\.(name|email)$/u,
  /^branch\..+\.(remote|merge|rebase|description|pushremote)$/su,
  /^remote\..+\.(url|pushurl|fetch|prune|tagopt|promisor|partialclonefilter)$/su,
  /^submodule\..+\.(url|active|update)$/su,
  /^lfs\.repositoryformatversion$/u,
  /^filter\..+\.(clean|smudge|process|required)$/su,
  /^diff\..+\.(binary|xfuncname|wordregex|textconv|cachetextconv)$/su,
  /^merge\..+\.(name|driver|recursive)$/su,
  /^(pull|merge|rebase|diff|push)\.(rebase|ff|conflictstyle|default|algorithm|autostash|autosquash|followtags)$/u,
];

/**
 * Files named by these keys are copied only from below the checkout. Other files do not exist
 * inside.
 */
const FILE_KEYS = /^core\.(hookspath|attributesfile|excludesfile|worktree)$/u;

/** Entries for the store in addition to the host's. */
export interface ConfigInsideOptions {
  /**
   * True if files have another owner inside than outside. Git then compares only sizes and times.
   */
  readonly hasOtherOwner: boolean;
  /** True for the configuration of a submodule, which names its worktree. @default false */
  readonly isSubmodule?: boolean;
}

/** Returns the text of the store's `config`. Entries of the user and the system are left out. */
export function configInside(
  entries: readonly Entry[],
  { hasOtherOwner, isSubmodule = false }: ConfigInsideOptions,
): string {
  const kept = entries
    .filter(({ scope }) => scope === 'local' || scope === 'worktree')
    .filter(({ key, value }) => isAllowed(key, value) && (isSubmodule || key !== 'core.worktree'))
    .map(({ key, value, hasValue }): readonly [string, string] => [
      key,
      hasValue ? withoutCredentials(value) : 'true',
    ])
    .filter(([key, value]) => !(key.endsWith('url') && value.includes('::')));
  const hasExtension = kept.some(([key]) => key.startsWith('extensions.'));
  return [
    `[core]\n\trepositoryformatversion = ${hasExtension ? 1 : 0}\n\tbare = false\n\tlogallrefupdates = true`,
    ...(hasOtherOwner ? ['\tcheckStat = minimal'] : []),
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false',
    ...kept.map(([key, value]) => section(key, value)),
    '',
  ].join('\n');
}

/** Parses the output of `git config --file <path> --list -z`. */
export function parseLocalConfig(listed: string): Entry[] {
  const lines = listed.split('\0').filter((line) => line !== '');
  return lines.map((line) => ({ scope: 'local', ...parseConfigEntry(line) }));
}

/**
 * Removes user and password from the addresses in a value. The user of an `ssh` address stays,
 * because it is not secret.
 */
function withoutCredentials(value: string): string {
  return value.replaceAll(/\b([a-z][a-z0-9+.-]*):\/\/([^/@\s]*)@/giu, (_all, scheme: string, user: string) =>
    /^(git\+)?ssh$/iu.test(scheme) ? `${scheme}://${user.split(':')[0] ?? ''}@` : `${scheme}://`,
  );
}

function isAllowed(key: string, value: string): boolean {
  if (FILE_KEYS.test(key) && /^([/~]|[A-Za-z]:)/u.test(value)) return false;
  return ALLOWED.some((pattern) => pattern.test(key));
}

function section(key: string, value: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const name = first === last ? '' : ` "${escape(key.slice(first + 1, last))}"`;
  const text = escape(value).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `[${key.slice(0, first)}${name}]\n\t${key.slice(last + 1)} = "${text}"`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\"]/gu, String.raw`\$&`);
}
