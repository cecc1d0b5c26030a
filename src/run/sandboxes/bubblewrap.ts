/** Owns `bubblewrap()`: a sandbox of Linux namespaces, one process per command, without a daemon, an image or root. */
import { UsageError } from '../../errors/usage-error.ts';
import { startBubblewrap } from './bubblewrap/handle.ts';
import { assertEgressPolicy } from './egress/egress-policy.ts';
import type { ModelRequest } from './egress/model-proxy.ts';
import type { BindMountSandboxProvider, EgressPolicy, MountConfig } from './sandbox-provider.ts';

/** Options of `bubblewrap()`. */
export interface BubblewrapOptions {
  /** Environment for every command inside; the host's own is not seen. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Host paths to show inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /**
   * Where the agent may connect to. `"model"`: to its model alone, by a proxy on the host that adds the key; other commands
   * have no network. `{ allow }`: to listed hosts, for every command, and to the model as with `"model"` where the agent can.
   * @default "model" where the agent can reach its model so, else "host"
   */
  readonly egress?: EgressPolicy;
  /** HOME inside, absolute; a private folder that is removed with the sandbox. @default "/home/agent" */
  readonly homePath?: string;
  /** Is called with each request to the model that a proxy carried, after it ended. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}

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
