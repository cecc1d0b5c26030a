/**
 * Owns the port between a run and the place where its agent works: what a sandbox provider makes, and what its handle does.
 * The behaviour behind it is pinned by the contract suite of `truecast/testing`.
 */
import type { ModelAccess } from '../agents/model-access.ts';
import type { EgressObserver } from './egress/egress-observer.ts';

/** How one command is run in a sandbox. */
export interface SandboxExecOptions {
  /** Is called with each line of stdout as it arrives, without its newline. */
  readonly onLine?: (line: string) => void;
  /** Is called with each piece of stdout as it arrives, wherever it was cut; only where the handle says `streamsChunks`. */
  readonly onChunk?: (chunk: string) => void;
  /** Is called with each piece of stderr as it arrives; only where the handle says `streamsChunks`. */
  readonly onStderrChunk?: (chunk: string) => void;
  /** Directory inside the sandbox. @default the worktree */
  readonly cwd?: string;
  /** Runs as root where the sandbox has `sudo`; elsewhere it changes nothing. @default false */
  readonly sudo?: boolean;
  /** Is written to the command's stdin, which is then closed. A command that does not read it is no error. @default "" */
  readonly stdin?: string;
  /** Adds to the sandbox's environment for this command; never stands in a command line. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kills the whole process tree, inside the sandbox too, and then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** True for the agent itself: the only command that may reach the model through a proxy that adds its key. @default false */
  readonly isAgent?: boolean;
}

/** How a command in a sandbox ended. A non-zero exit is a result, not an error. */
export interface SandboxExecResult {
  /** All of stdout; with `onLine` or `onChunk` only its end (64 KiB). */
  readonly stdout: string;
  /** All of stderr; with `onLine` or `onChunk` only its end (64 KiB). */
  readonly stderr: string;
  /** 128 plus the signal's number when a signal ended it. */
  readonly exitCode: number;
  /** True when some of the output is neither here nor was told: more than 64 MiB of it, and nobody listened. */
  readonly isOutputCut?: boolean;
}

/** A started sandbox. Every method may be called until `close()`, which may be called twice. */
export interface SandboxHandle {
  /** The worktree's path inside the sandbox. */
  readonly worktreePath: string;
  /** HOME inside the sandbox, where an agent keeps its sessions. */
  readonly homePath?: string;
  /** True when `exec` honours `onChunk`, `onStderrChunk`, `env` and `signal`. */
  readonly streamsChunks?: boolean;
  /** Where the agent may connect to. */
  readonly egress?: EgressPolicy;
  /** Inside, the URL that stands for the model's base URL, where a proxy carries it. */
  readonly modelBaseUrl?: string;
  /** Listens to the sandbox's network until the returned function is called; a sandbox may serve one run after another. */
  observeEgress?(observer: EgressObserver): () => void;
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /** Runs a program on the caller's terminal. */
  interactiveExec?(
    args: readonly string[],
    options: {
      readonly stdin: NodeJS.ReadableStream;
      readonly stdout: NodeJS.WritableStream;
      readonly stderr: NodeJS.WritableStream;
      readonly cwd?: string;
      /** Adds to the sandbox's environment for this program. */
      readonly env?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly exitCode: number }>;
  /** Copies one file from the host into the sandbox, making its parent folders. */
  copyFileIn?(hostPath: string, sandboxPath: string): Promise<void>;
  /** Copies one file out of the sandbox to the host, making its parent folders. */
  copyFileOut?(sandboxPath: string, hostPath: string): Promise<void>;
  /**
   * Brings commits and files to the host's worktree, where the sandbox shares none with it; returns what is worth a warning.
   * Call it when nothing of the agent runs, before the host looks at the worktree; without changes since the last call it does nothing.
   *
   * @throws SandboxError `sync`, which says where the work is
   */
  syncOut?(): Promise<readonly string[]>;
  /** Kills what still runs inside and frees everything; the worktree stays. */
  close(): Promise<void>;
}

/** A host path that a sandbox shows inside. */
export interface MountConfig {
  /** Absolute, beginning with `~`, or relative to the repository. */
  readonly hostPath: string;
  /** Absolute, beginning with `~`, or relative to the worktree. */
  readonly sandboxPath: string;
  /** @default false */
  readonly readonly?: boolean;
}

/** The git paths of the worktree that a sandbox shows; it protects what would run code on the host. */
export interface WorktreeGitPaths {
  /** The repository's common git directory, absolute. */
  readonly commonDir: string;
  /** The worktree's own git directory, absolute; equals `commonDir` when the agent works in the main checkout. */
  readonly gitDir: string;
}

/** What travels into a sandbox that shares no files with the host, beside the branch and what git would commit. */
export interface SentBeside {
  /** Branches of the host that are to be known inside too. */
  readonly branches: readonly string[];
  /** Files and folders of the worktree, relative to it, that git ignores. */
  readonly paths: readonly string[];
}

/** What a provider of sandboxes is given. */
export interface SandboxCreateOptions {
  /** Host path of the worktree, absolute. */
  readonly worktreePath: string;
  /** Host path of the repository, absolute. */
  readonly hostRepoPath: string;
  readonly mounts: readonly MountConfig[];
  /** The whole environment of commands inside. Values may be secret: they never stand in a command line. */
  readonly env: Readonly<Record<string, string>>;
  readonly git?: WorktreeGitPaths;
  /** How the agent reaches its model; a provider with `egress: "model"` needs it. */
  readonly modelAccess?: ModelAccess;
  /** Host paths that the agent's program needs to be seen inside, read-only. */
  readonly readonlyPaths?: readonly string[];
  /** What a sandbox that shares no files with the host is sent beside the worktree's own branch. */
  readonly sends?: SentBeside;
  readonly signal?: AbortSignal;
}

/** Where a local agent, and with `{ allow }` every command, may connect to. */
export type EgressPolicy = 'none' | 'host' | 'model' | EgressAllow;

/** Listed hosts and nothing else, for every command; the agent's model too, by a proxy that adds its key, where the agent can. */
export interface EgressAllow {
  /**
   * `host`, `host:port`, `*.suffix` (not `suffix` itself), IP addresses; without a port 80 and 443. Of the host's own loopback
   * single ports, `localhost:8080`, which are then to be had inside at the same port.
   */
  readonly allow: readonly string[];
}

interface ProviderBase {
  readonly name: string;
  /** Environment for every command inside. */
  readonly env: Readonly<Record<string, string>>;
}

/** A sandbox that sees the worktree through a mount: commits appear on the host at once. */
export interface BindMountSandboxProvider extends ProviderBase {
  readonly tag: 'bind-mount';
  /** HOME inside, where it is known before a start. */
  readonly sandboxHomedir?: string;
  readonly egress?: EgressPolicy;
  /** True where agents' programs may be the sandbox's own, as a container's image has them: the host need not have any. @default false */
  readonly hasOwnPrograms?: boolean;
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/** No sandbox: commands run on the host in the worktree. */
export interface NoSandboxProvider extends ProviderBase {
  readonly tag: 'none';
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/** A sandbox on another machine: files travel in at the start, and commits and files back. */
export interface IsolatedSandboxProvider extends ProviderBase {
  readonly tag: 'isolated';
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/** A place where an agent can work. */
export type SandboxProvider = BindMountSandboxProvider | NoSandboxProvider | IsolatedSandboxProvider;
