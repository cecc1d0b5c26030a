/** Addresses of repositories: `https:` and `ssh:`, without a password. Pure. */

/** The short form of ssh, such as `git@HOST:team/api.git`. */
const SHORT_SSH = /^[\w.-]+@[\w.-]+:[^\s:]+$/u;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/u;

/**
 * Returns what is wrong with an address. `http:` reaches this machine only, where no other machine reads the
 * traffic.
 */
export function addressProblem(url: string, hasCredential: boolean): string | undefined {
  if (SHORT_SSH.test(url)) return hasCredential ? ONLY_HTTPS : undefined;
  if (!URL.canParse(url)) return 'Expected an address that begins with `https://` or `ssh://`';
  const { protocol, hostname, password } = new URL(url);
  if (password !== '') {
    return 'Expected an address without a password. Put it into an environment variable, and name that in `credential.env`';
  }
  if (protocol === 'http:' && LOOPBACK.test(hostname)) return undefined;
  if (protocol !== 'https:' && protocol !== 'ssh:') {
    return 'Expected an address that begins with `https://` or `ssh://`. `http://` is allowed to this machine only. A folder is a `path`';
  }
  return protocol === 'ssh:' && hasCredential ? ONLY_HTTPS : undefined;
}

const ONLY_HTTPS =
  "Expected no `credential` beside an address of ssh, which uses the keys of the worker's user. Remove it";
