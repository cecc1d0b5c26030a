/**
 * Port between a run and the environment of its agent: sandbox providers and their handles. The
 * contract suite of `truecast/testing` tests the behavior behind it.
 */
import type { ModelAccess } from './model-access.ts';
import type { EgressObserver } from './egress-observer.ts';

/** Options of one command in a sandbox. */
export interface SandboxExecOptions {
  /** Called with each line of stdout as it arrives, without its newline. */
  readonly onLine?: (line: string) => void;
  /**
   * Called with each chunk of stdout as it arrives, with arbitrary boundaries. Called only if the
   * handle has `streamsChunks`.
   */
  readonly onChunk?: (chunk: string) => void;
  /**
   * Called with each chunk of stderr as it arrives. Called only if the handle has `streamsChunks`.
   */
  readonly onStderrChunk?: (chunk: string) => void;
  /** Directory inside the sandbox. @default the worktree */
  readonly cwd?: string;
  /** Runs as root if the sandbox has `sudo`. Otherwise it has no effect. @default false */
  readonly sudo?: boolean;
  /** Written to the command's stdin, which is then closed. A command can ignore it. @default "" */
  readonly stdin?: string;
  /** Adds to the sandbox's environment for this command. Never part of a command line. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Kills the whole process tree, inside the sandbox too, and then rejects with the signal's
   * reason.
   */
  readonly signal?: AbortSignal;
  /**
   * True for the agent itself. Only this command can reach the model through a proxy that adds its
   * key. @default false
   */
  readonly isAgent?: boolean;
}

/** Options of a program on the caller's terminal. */
export interface InteractiveExecOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly cwd?: string;
  /** Adds to the sandbox's environment for this program. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Result of a command in a sandbox. A non-zero exit is a result, not an error. */
export interface SandboxExecResult {
  /** All of stdout. With `onLine` or `onChunk`, only the last 64 KiB. */
  readonly stdout: string;
  /** All of stderr. With `onLine` or `onChunk`, only the last 64 KiB. */
  readonly stderr: string;
  /** 128 plus the signal's number if a signal ended it. */
  readonly exitCode: number;
  /** True if some output was lost: more than 64 MiB without a listener. */
  readonly isOutputCut?: boolean;
}

/** A started sandbox. Every method can be called until `close()`, which can be called twice. */
export interface SandboxHandle {
  /** The worktree's path inside the sandbox. */
  readonly worktreePath: string;
  /** HOME inside the sandbox, where an agent keeps its sessions. */
  readonly homePath?: string;
  /** True if `exec` supports `onChunk`, `onStderrChunk`, `env` and `signal`. */
  readonly streamsChunks?: boolean;
  /** Allowed connections of the agent. */
  readonly egress?: EgressPolicy;
  /** True if the sandbox blocks every connection that `egress` forbids. @default false */
  readonly enforcesEgress?: boolean;
  /** Limits that this sandbox cannot enforce on this machine, each as a short phrase. */
  readonly unenforcedLimits?: readonly string[];
  /**
   * URL inside the sandbox that replaces the model's base URL, if a proxy forwards the requests.
   */
  readonly modelBaseUrl?: string;
  /**
   * Observes the sandbox's network until the returned function is called. A sandbox can serve one
   * run after another.
   */
  observeEgress?(observer: EgressObserver): () => void;
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /** Runs a program on the caller's terminal. */
  interactiveExec?(args: string[], options: InteractiveExecOptions): Promise<{ exitCode: number }>;
  /** Copies one file from the host into the sandbox, and creates its parent folders. */
  copyFileIn?(hostPath: string, sandboxPath: string): Promise<void>;
  /** Copies one file out of the sandbox to the host, and creates its parent folders. */
  copyFileOut?(sandboxPath: string, hostPath: string): Promise<void>;
  /**
   * Copies commits and files to the host's worktree, if the sandbox does not share it. Returns
   * warnings. Call it while no process of the agent runs, before the host reads the worktree.
   * Without changes since the last call it does nothing.
   *
   * @throws SandboxError `sync`, with the location of the work
   */
  syncOut?(): Promise<readonly string[]>;
  /** Kills remaining processes inside and frees all resources. The worktree is kept. */
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

/**
 * Git paths of the worktree that a sandbox shows. It protects those that would run code on the
 * host.
 */
export interface WorktreeGitPaths {
  /** The repository's common git directory, absolute. */
  readonly commonDir: string;
  /**
   * The worktree's own git directory, absolute. Equals `commonDir` if the agent works in the main
   * checkout.
   */
  readonly gitDir: string;
}

/** Inputs of a sandbox provider. */
export interface SandboxCreateOptions {
  /** Host path of the worktree, absolute. */
  readonly worktreePath: string;
  /** Host path of the repository, absolute. */
  readonly hostRepoPath: string;
  readonly mounts: readonly MountConfig[];
  /**
   * The whole environment of commands inside. Values can be secret, so they are never part of a
   * command line.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly git?: WorktreeGitPaths;
  /**
   * Policy for a provider whose caller chose none.
   * @default "model" with a `modelAccess`, else "none"
   */
  readonly egress?: EgressPolicy;
  /** Access of the agent to its model. Required by a provider with `egress: "model"`. */
  readonly modelAccess?: ModelAccess;
  /** Host paths that the agent's program needs inside, read-only. */
  readonly readonlyPaths?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Allowed connections of a local agent. `{ allow }` applies to every command. */
export type EgressPolicy = 'none' | 'host' | 'model' | EgressAllow;

/**
 * Only the listed hosts, for every command. The agent also reaches its model through a proxy that
 * adds its key, if the agent supports that.
 */
export interface EgressAllow {
  /**
   * `host`, `host:port`, `*.suffix` (not `suffix` itself), or IP addresses. Without a port, 80 and
   * 443. The host's own loopback needs a port, such as `localhost:8080`, which is then available
   * inside at the same port.
   */
  readonly allow: readonly string[];
}

interface ProviderBase {
  readonly name: string;
  /** Environment of every command inside. */
  readonly env: Readonly<Record<string, string>>;
}

/** A sandbox that sees the worktree through a mount. */
export interface BindMountSandboxProvider extends ProviderBase {
  readonly tag: 'bind-mount';
  /** HOME inside, if it is known before a start. */
  readonly sandboxHomedir?: string;
  /** The caller's choice. If absent, a run decides and passes its decision to `create`. */
  readonly egress?: EgressPolicy;
  /** True if its sandboxes enforce the policy passed to `create`. @default false */
  readonly enforcesEgress?: boolean;
  /**
   * True if a guest has its own git directory and therefore cannot write the host's. @default false
   */
  readonly hasOwnGit?: boolean;
  /**
   * False if the agents' programs must be on the host. Otherwise a sandbox can contain them itself,
   * like a container's image. @default true
   */
  readonly hasOwnPrograms?: boolean;
  /**
   * True if a guest cannot create a file with setuid or setgid bits, or a device. Otherwise they are
   * searched for after each run, and removed. @default false
   */
  readonly preventsSetId?: boolean;
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/** No sandbox: commands run on the host in the worktree. */
export interface NoSandboxProvider extends ProviderBase {
  readonly tag: 'none';
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/**
 * A sandbox on another machine. Files are copied in at the start, and commits and files are copied
 * back.
 */
export interface IsolatedSandboxProvider extends ProviderBase {
  readonly tag: 'isolated';
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
}

/** An environment where an agent can work. */
export type SandboxProvider = BindMountSandboxProvider | NoSandboxProvider | IsolatedSandboxProvider;

/** Same as `SandboxProvider`. @public */
export type AnySandboxProvider = SandboxProvider;
