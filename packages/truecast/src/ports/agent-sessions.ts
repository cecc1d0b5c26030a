/** Session storage interface: transfer of an agent's sessions between host and sandbox. */
import type { SandboxHandle } from './sandbox-provider.ts';

/** Session id and the worktree paths for its lookup. */
export interface SessionLocation {
  /** Worktree path on the host. */
  readonly hostCwd: string;
  /** Worktree path inside the sandbox. */
  readonly sandboxCwd: string;
  readonly sessionId: string;
  /** Called for a part of the session that could not be copied. @default nothing is told */
  readonly onWarning?: (message: string) => void;
}

/** Result of a session lookup on the host. */
export interface HostSessionLookup {
  /** Path of the session file, or undefined if the store has no session with that id. */
  readonly path: string | undefined;
  /** The folder that was searched. */
  readonly searchedRoot: string;
}

/** Transfers an agent's sessions between the host's store and a sandbox's home. */
export interface AgentSessionStorage {
  /**
   * True if the CLI resumes a session only in the directory that it was created in. Even without a
   * sandbox, the session is then captured and copied to the resume directory. @default false
   */
  readonly isBoundToDirectory?: boolean;
  /**
   * True if only the agent knows its session files. It finds them in the place where it created
   * them. @default false
   */
  readonly isKeptByAgent?: boolean;
  /** Copies the session from the sandbox into the host's store. */
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<unknown>;
  /** Copies the session from the host's store into the sandbox. */
  resumeIntoSandbox(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<void>;
  /** Returns the content of a captured session. Undefined without one. */
  readHostSession(cwd: string, sessionId: string): Promise<string | undefined>;
  /** Returns true if the host's store has the session. */
  existsOnHost(cwd: string, sessionId: string): Promise<boolean>;
  /** Returns the path of a captured session. Undefined if it depends on the capture. */
  hostSessionFilePath(cwd: string, sessionId: string): string | undefined;
  /** Finds the session in the host's store, whatever its working directory. */
  findByIdOnHost(sessionId: string): Promise<HostSessionLookup>;
}

/** Session storage of the built-in agents. A capture returns the path on the host. */
export interface HostSessionStorage extends AgentSessionStorage {
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<string>;
}
