/**
 * Git calls to a repository at an address: the allowed protocols, and the credential, which only these calls
 * know.
 */
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { git, type GitOptions, type GitResult } from '../command/git.ts';

/** A repository on another machine. */
export interface RemoteRepository {
  /** Address without a password: `https:`, `ssh:`, or `http:` of this machine. */
  readonly url: string;
  /** Password or token for `https:`. @default what git finds for this user */
  readonly password?: string | undefined;
}

/** Hosts that accept a token accept it with any name. An address with a name takes precedence. */
const USERNAME = 'x-access-token';
const PASSWORD_VARIABLE = 'TRUECAST_GIT_PASSWORD';
/** Reads the variable of this call, for the first question only: git also asks it to store what it used. */
const HELPER = `!f() { test "$1" = get && printf 'password=%s\\n' "$${PASSWORD_VARIABLE}"; }; f`;
/** A connection without a byte in this time has ended. In seconds. */
const SILENT_SECONDS = 60;

/**
 * Runs `fetch`, `push` or `ls-remote` with an address. Masks the credential in its output, which a server can
 * repeat, and leaves the address out.
 *
 * @throws RepositoryError `timeout`, `git-failed` if git cannot be started; the signal's reason
 */
export async function remoteGit(
  args: readonly ['fetch' | 'push' | 'ls-remote', ...string[]],
  remote: RemoteRepository,
  options: Omit<GitOptions, 'config' | 'env'>,
): Promise<GitResult> {
  const { url, password } = remote;
  const result = await git(args, {
    ...options,
    config: [
      'http.lowSpeedLimit=1',
      `http.lowSpeedTime=${SILENT_SECONDS}`,
      ...(password === undefined ? [] : credentialConfig(url)),
    ],
    env: {
      // Takes precedence over all configuration, also for redirects and rewritten addresses.
      GIT_ALLOW_PROTOCOL: url.startsWith('http:') ? 'http' : 'https:ssh',
      ...(password !== undefined && { [PASSWORD_VARIABLE]: password }),
    },
  });
  const { mask } = createSecretMask(password === undefined ? [] : [password]);
  const shown = (text: string): string => mask(text.replaceAll(url, 'the address'));
  return { ...result, stdout: shown(result.stdout), stderr: shown(result.stderr) };
}

/**
 * Git asks the helper only for the address' own host, so a redirect to another one gets no credential. Helpers
 * of the user are off, because they would store it.
 */
function credentialConfig(url: string): readonly string[] {
  const { origin } = new URL(url);
  return [
    'credential.helper=',
    `credential.${origin}.helper=`,
    `credential.${origin}.username=${USERNAME}`,
    `credential.${origin}.helper=${HELPER}`,
  ];
}
