/** Owns what the server asks of a place where files are and commands run; the place itself is given to it. */

/** Gives a chat its place. */
export interface WorkspaceProvider {
  /** Opens the chat's place, or finds it again: files of earlier turns are still there. A child works in its parent's. */
  open(chatId: string): Promise<Workspace>;
  /** The chats that have a place here, also from earlier runs of the process. */
  list(): Promise<readonly string[]>;
  /** Ends what runs in the chat's place and frees what it holds; its files go. */
  remove(chatId: string): Promise<void>;
}

/** A place in a sandbox. */
export interface Workspace {
  /** Runs a line of POSIX shell in the folder of the work. Rejects when the place is gone; a command that fails is a result. */
  exec(command: string, options: WorkspaceExecOptions): Promise<WorkspaceExecResult>;
}

/** How a command runs. */
export interface WorkspaceExecOptions {
  readonly signal: AbortSignal;
  /** Milliseconds after which it is killed. */
  readonly timeoutMs: number;
  /** What it reads on its standard input. @default nothing */
  readonly stdin?: string;
}

/** What a command printed, and how it ended. */
export interface WorkspaceExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
