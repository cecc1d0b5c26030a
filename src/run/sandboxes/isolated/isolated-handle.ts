/** Owns the port to a machine that shares no files with the host: what someone who has one writes by hand. */
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../sandbox-provider.ts';

/** A started machine with an empty place to work. Of `exec` only `onLine`, `cwd`, `sudo` and `stdin` are asked, unless it says `streamsChunks`. */
export interface IsolatedSandboxHandle {
  /** Where the repository is put inside, absolute. What lies there already stays, and is no part of the agent's work. */
  readonly worktreePath: string;
  /** HOME inside. @default what the shell says */
  readonly homePath?: string;
  /** True when `exec` honours `onChunk`, `onStderrChunk`, `env` and `signal`. */
  readonly streamsChunks?: boolean;
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /** Runs a program on the caller's terminal. */
  readonly interactiveExec?: NonNullable<SandboxHandle['interactiveExec']>;
  /** Copies a file, or a folder with all that is in it, from the host to exactly this path, making its parent folders. */
  copyIn(hostPath: string, sandboxPath: string): Promise<void>;
  /** Copies one file to the host. */
  copyFileOut(sandboxPath: string, hostPath: string): Promise<void>;
  /** Frees everything, and with it what is inside. */
  close(): Promise<void>;
}
