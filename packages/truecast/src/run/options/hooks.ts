/** Option `hooks`: the caller's commands around the start of a sandbox. */

/** A shell command on the host, in the worktree. */
export interface HostHook {
  /** Shell command. A non-zero exit code is a failure. */
  readonly command: string;
  /** Maximum duration of the command. @default 60000 */
  readonly timeoutMs?: number;
}

/** A shell command inside the sandbox, in the worktree. */
export interface SandboxHook extends HostHook {
  /** Runs as root if the sandbox has `sudo`. @default false */
  readonly sudo?: boolean;
}

/** Commands around the start of a sandbox. A failure or a timeout aborts the start. */
export interface SandboxHooks {
  readonly host?: {
    /** Run one after the other, after the worktree is created and its files are copied. */
    readonly onWorktreeReady?: readonly HostHook[];
    /** Run in parallel with the sandbox's hooks, after the sandbox has started. */
    readonly onSandboxReady?: readonly HostHook[];
  };
  readonly sandbox?: {
    /** Run in parallel with the host's hooks, after the sandbox has started. */
    readonly onSandboxReady?: readonly SandboxHook[];
  };
}

/** Returns the command lines that run on the host. */
export function hostCommands(hooks: SandboxHooks | undefined): readonly string[] {
  const { onWorktreeReady = [], onSandboxReady = [] } = hooks?.host ?? {};
  return [...onWorktreeReady, ...onSandboxReady].map(({ command }) => command);
}
