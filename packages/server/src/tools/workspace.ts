/** Port to workspaces: files and commands of a chat. */

export interface WorkspaceProvider {
  /** Opens the chat's workspace, with the files of earlier turns. A child uses its parent's. */
  open(chatId: string): Promise<Workspace>;
  /** Returns the chats with a workspace here, including those of earlier processes. */
  list(): Promise<readonly string[]>;
  /** Stops the processes of the chat's workspace and deletes its files. */
  remove(chatId: string): Promise<void>;
}

export interface Workspace {
  /**
   * Runs a POSIX shell line in the working folder. Rejects if the workspace no longer exists. A
   * failing command is a result.
   */
  exec(command: string, options: WorkspaceExecOptions): Promise<WorkspaceExecResult>;
}

export interface WorkspaceExecOptions {
  readonly signal: AbortSignal;
  /** Timeout in milliseconds, after which it is killed. */
  readonly timeoutMs: number;
  /** Added to its environment. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. @default empty */
  readonly stdin?: string;
}

/** Output and exit of a command. */
export interface WorkspaceExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
