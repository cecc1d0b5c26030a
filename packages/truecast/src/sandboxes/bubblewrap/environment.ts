/** Environment of commands in a bubblewrap sandbox. No variable of the host leaks. */
import type { ModelAccess } from '../../ports/model-access.ts';
import { secretsOf } from '../egress/model/secret-forms.ts';
import { GUEST_NAME } from './etc-folder.ts';
import type { GuestGit } from '../../guest-git/guest-git.ts';

export interface GuestEnvironmentOptions {
  readonly homePath: string;
  readonly path: string;
  /** Variables of the caller. Their values can be secret. */
  readonly given: Readonly<Record<string, string>>;
  /** Pairs of a git setting and its value. */
  readonly gitConfig: readonly (readonly [key: string, value: string])[];
}

/**
 * Settings that git needs inside, because the user's configuration and keys are not available
 * there.
 */
const GIT_CONFIG: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  // Maintenance would need the common git folder. Conflict caches and signatures need files that
  // are not available inside.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['rerere.enabled', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['core.fsmonitor', 'false'],
];

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

/**
 * Returns git's settings for the sandbox. They include the author of the host's configuration, so
 * that a commit needs no setup.
 */
export function gitConfigInside(
  identity: GuestGit['identity'] | undefined,
): readonly (readonly [key: string, value: string])[] {
  if (identity === undefined) return GIT_CONFIG;
  const { name = 'Agent', email = 'agent@localhost' } = identity;
  return [...GIT_CONFIG, ['user.name', name], ['user.email', email]];
}

/** Appends settings to those that the caller passes in the same variables. */
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

/**
 * Returns `environment` without the model's key, neither under its own name nor as a copy under
 * another name.
 */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
  access: ModelAccess,
): Record<string, string> {
  const secrets = secretsOf(access);
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) =>
        !access.secretNames.includes(name) && !secrets.some((secret) => value.includes(secret)),
    ),
  );
}
