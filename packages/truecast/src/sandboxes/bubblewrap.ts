/**
 * `bubblewrap()`: a sandbox of Linux namespaces, one process per command, without a daemon, an
 * image or root.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { type BubblewrapOptions, completeBubblewrapLimits } from './bubblewrap/limits.ts';
import { startBubblewrap } from './bubblewrap/handle.ts';
import { syscallFilter } from './bubblewrap/syscall-filter.ts';
import { assertEgressPolicy } from './egress/egress-policy.ts';
import { withoutNetwork } from './shared/guest-git-options.ts';
import type { BindMountSandboxProvider } from '../ports/sandbox-provider.ts';

export type { BubblewrapOptions } from './bubblewrap/limits.ts';

const BUBBLEWRAP_OPTIONS: OptionNames<BubblewrapOptions> = {
  env: true,
  mounts: true,
  egress: true,
  homePath: true,
  limits: true,
  onModelRequest: true,
};

/**
 * Runs each command in separate namespaces. The host's system is read-only. Only the worktree, a
 * private HOME and an empty `/tmp` are writable. All capabilities are dropped. The host's
 * environment, other files and processes are not visible.
 *
 * Linux only, and `bwrap` must be installed. The guest has its own git directory. Its commits reach
 * the host's repository at the end of each turn. `/tmp` lasts for one command.
 *
 * @throws UsageError if an option is invalid
 * @example
 * ```ts
 * const sandbox = bubblewrap({ egress: 'none', mounts: [{ hostPath: '~/.cache/pip', sandboxPath: '~/.cache/pip' }] });
 * ```
 */
export function bubblewrap(options: BubblewrapOptions = {}): BindMountSandboxProvider {
  assertKnownOptions(options, { of: '`bubblewrap()`', names: BUBBLEWRAP_OPTIONS });
  const { homePath = '/home/agent', egress } = options;
  assertKind(homePath, 'a string', 'homePath', 'Pass a path inside the sandbox, or leave it out.');
  if (options.mounts !== undefined) {
    assertKind(options.mounts, 'an array', 'mounts', 'Write `[{ hostPath, sandboxPath }]`.');
  }
  if (!homePath.startsWith('/') || homePath === '/') {
    throw new UsageError(
      `Expected \`homePath\` to be an absolute path inside the sandbox, got \`${homePath}\` (string).`,
    );
  }
  assertEgressPolicy(egress);
  completeBubblewrapLimits(options.limits);
  return {
    name: 'bubblewrap',
    tag: 'bind-mount',
    hasOwnPrograms: false,
    hasOwnGit: true,
    preventsSetId: syscallFilter(process.arch) !== undefined,
    env: { ...options.env },
    sandboxHomedir: homePath,
    ...(egress !== undefined && { egress }),
    enforcesEgress: true,
    create: (created) => startBubblewrap(created, withoutNetwork(created, { ...options, homePath })),
  };
}
