/** Proxy environment variables for programs inside a sandbox. Pure. */
import { LOOPBACK_HOSTS } from '../../ports/allow-rules.ts';

/**
 * Returns the variables that curl, git, npm, pip, Go, Rust and, with `NODE_USE_ENV_PROXY`, Node
 * read. The sandbox's loopback is not proxied.
 */
export function proxyEnvironment(proxyUrl: string): Readonly<Record<string, string>> {
  const direct = LOOPBACK_HOSTS.join(',');
  return {
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    all_proxy: proxyUrl,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}
