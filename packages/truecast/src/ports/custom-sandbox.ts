/** Types of custom sandboxes: what a provider's `create` receives, and the handle that it returns. */
import type {
  MountConfig,
  SandboxCreateOptions,
  SandboxExecResult,
  SandboxHandle,
} from './sandbox-provider.ts';

/** Result of a command in a sandbox. @public */
export type ExecResult = SandboxExecResult;

/** Inputs of a custom bind-mount provider. */
export interface BindMountCreateOptions extends Omit<SandboxCreateOptions, 'mounts' | 'env'> {
  /** Mounts to apply, in addition to the worktree. */
  readonly mounts: MountConfig[];
  /**
   * The whole environment of commands inside. Values can be secret, so they are never part of a
   * command line.
   */
  readonly env: Record<string, string>;
}

/** Handle of a custom bind-mount sandbox. @public */
export interface BindMountSandboxHandle extends SandboxHandle {
  copyFileIn(hostPath: string, sandboxPath: string): Promise<void>;
  copyFileOut(sandboxPath: string, hostPath: string): Promise<void>;
}

/** Inputs of a custom isolated provider. */
export interface IsolatedCreateOptions {
  /** The whole environment of commands inside. It must not appear in a command line. */
  readonly env: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Handle without a sandbox: commands run on the host. @public */
export interface NoSandboxHandle extends SandboxHandle {
  interactiveExec: NonNullable<SandboxHandle['interactiveExec']>;
}
