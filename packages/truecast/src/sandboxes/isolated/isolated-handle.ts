/**
 * Machine interface of an isolated sandbox, implemented by custom providers. The machine shares no
 * files with the host.
 */
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';

/**
 * A started machine with an empty working folder. `exec` must support `onLine`, `cwd`, `sudo` and
 * `stdin`, and with `streamsChunks` every option. Without `streamsChunks`, the run does not wait
 * for an aborted command, and `close` must end it.
 */
export interface IsolatedSandboxHandle {
  /**
   * Absolute path of the repository inside. Existing files there are kept, and are not part of the
   * agent's work.
   */
  readonly worktreePath: string;
  /** HOME inside. @default the shell's HOME */
  readonly homePath?: string;
  /** True if `exec` supports `onChunk`, `onStderrChunk`, `env` and `signal`. */
  readonly streamsChunks?: boolean;
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /** Runs a program on the caller's terminal. */
  readonly interactiveExec?: NonNullable<SandboxHandle['interactiveExec']>;
  /**
   * Copies a file, or a folder with its contents, from the host to exactly this path, and creates
   * parent folders.
   */
  copyIn(hostPath: string, sandboxPath: string): Promise<void>;
  /** Copies one file to the host. */
  copyFileOut(sandboxPath: string, hostPath: string): Promise<void>;
  /** Releases all resources, including everything inside. */
  close(): Promise<void>;
}
