/** Owns `bubblewrap()`: a sandbox of Linux namespaces, one process per command, without a daemon, an image or root. */
import { UsageError } from '../../errors/usage-error.ts';
import type { BubblewrapOptions } from './bubblewrap/bubblewrap-options.ts';
import { startBubblewrap } from './bubblewrap/handle.ts';
import { assertEgressPolicy } from './egress/egress-policy.ts';
import type { BindMountSandboxProvider } from './sandbox-provider.ts';

export type { BubblewrapOptions } from './bubblewrap/bubblewrap-options.ts';

/**
 * Runs each command in namespaces of its own: the host's system is read-only, only the worktree, a private HOME and an empty
 * `/tmp` can be written, all capabilities are dropped, and of the host's environment, files and processes nothing is seen.
 *
 * Linux only, and `bwrap` must be installed. Commits land in the host's repository at once; its configuration and hooks cannot
 * be written. `/tmp` lasts for one command.
 *
 * @throws UsageError when an option is wrong
 *
 * @example
 * ```ts
 * const sandbox = bubblewrap({ egress: 'none', mounts: [{ hostPath: '~/.cache/pip', sandboxPath: '~/.cache/pip' }] });
 * ```
 */
export function bubblewrap(options: BubblewrapOptions = {}): BindMountSandboxProvider {
  const { homePath = '/home/agent', egress } = options;
  if (!homePath.startsWith('/') || homePath === '/') {
    throw new UsageError(
      `Expected \`homePath\` to be an absolute path inside, got \`${homePath}\` (string).`,
    );
  }
  assertEgressPolicy(egress);
  return {
    name: 'bubblewrap',
    tag: 'bind-mount',
    env: { ...options.env },
    sandboxHomedir: homePath,
    ...(egress !== undefined && { egress }),
    create: (created) => startBubblewrap(created, { ...options, homePath }),
  };
}
