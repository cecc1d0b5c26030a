/** Owns the environment of commands inside a bubblewrap sandbox: nothing of the host's leaks. */
import { execa } from 'execa';
import type { ModelAccess } from '../../agents/model-access.ts';
import { GUEST_NAME } from './home.ts';
import type { WorktreeGitPaths } from '../sandbox-provider.ts';

/** What the environment is made of. */
export interface GuestEnvironmentOptions {
  readonly homePath: string;
  readonly path: string;
  /** The caller's, which may be secret. */
  readonly given: Readonly<Record<string, string>>;
  /** Pairs of a git setting and its value. */
  readonly gitConfig: readonly (readonly [key: string, value: string])[];
}

/** Settings that git needs inside, where neither the user's configuration nor his keys are. */
const GIT_CONFIG: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  // Housekeeping would need the common folder; a cache of conflicts and a signature, what is not inside.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['rerere.enabled', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['core.fsmonitor', 'false'],
];

/** Returns the environment inside. */
export function guestEnvironment({
  homePath,
  path,
  given,
  gitConfig,
}: GuestEnvironmentOptions): Record<string, string> {
  const { TERM = 'dumb', LANG = 'C.UTF-8', TZ } = process.env;
  return {
    USER: GUEST_NAME,
    LOGNAME: GUEST_NAME,
    TERM,
    LANG,
    ...(TZ !== undefined && { TZ }),
    ...given,
    PATH: given['PATH'] ?? path,
    HOME: homePath,
    ...configVariables(given, gitConfig),
  };
}

/** Returns git's settings for inside, with who commits: as the host's configuration says, so that a commit needs no setup. */
export async function readGitConfig(
  git: WorktreeGitPaths | undefined,
): Promise<readonly (readonly [string, string])[]> {
  if (git === undefined) return GIT_CONFIG;
  const [name = 'Agent', email = 'agent@localhost'] = await Promise.all(
    ['user.name', 'user.email'].map((key) => readSetting(git, key)),
  );
  return [...GIT_CONFIG, ['user.name', name], ['user.email', email]];
}

async function readSetting({ gitDir }: WorktreeGitPaths, key: string): Promise<string | undefined> {
  const args = [`--git-dir=${gitDir}`, 'config', '--get', key];
  const { stdout, exitCode } = await execa('git', args, { reject: false, cwd: gitDir });
  return exitCode === 0 && stdout !== '' ? stdout : undefined;
}

/** Adds settings after those that the caller passes the same way. */
function configVariables(
  given: Readonly<Record<string, string>>,
  config: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const first = Number.parseInt(given['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(first + config.length) };
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${first + index}`] = key;
    variables[`GIT_CONFIG_VALUE_${first + index}`] = value;
  }
  return variables;
}

/** Headers whose value is a key, by name. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;
const MIN_SECRET_CHARS = 8;

/** Returns `environment` without the model's key: neither under a name that holds it nor, copied, under another. */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
  { headers, secretNames }: ModelAccess,
): Record<string, string> {
  const secrets = Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .map(([, value]) => value.replace(/^(bearer|basic|token)\s+/i, ''))
    .filter((secret) => secret.length >= MIN_SECRET_CHARS);
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => !secretNames.includes(name) && !secrets.some((secret) => value.includes(secret)),
    ),
  );
}
