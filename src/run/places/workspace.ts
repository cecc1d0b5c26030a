/** Owns the port to the place where one run's agent works. */
import type { FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import type { WorktreeSnapshot } from '../git/verify.ts';
import type { Worktree } from '../git/worktree.ts';
import type { SandboxHandle } from '../sandboxes/sandbox-provider.ts';

/** A worktree with a sandbox around it, for one run. */
export interface Workspace {
  readonly worktree: Worktree;
  /** The worktree on the host. */
  readonly worktreePath: string;
  readonly handle: SandboxHandle;
  /** State of the files that could run code on the host, before the agent ran; undefined where the agent is on the host anyway. */
  readonly snapshot: WorktreeSnapshot | undefined;
  /** Shared with the sandbox, for the sockets by which an agent hands in its answer; undefined where it was not asked for. */
  readonly finalizerFolder: FinalizerFolder | undefined;
  /** What the agent's command finds in its environment beside the sandbox's own. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Writes a file that the agent's program reads; returns its path inside the sandbox. */
  writeTemporaryFile(name: string, content: string): Promise<string>;
  /** Copies a session to the host's store; returns its path there. A failure is a warning: the work is done. */
  captureSession(sessionId: string): Promise<string | undefined>;
  /** Brings what was done inside to the host's worktree, where the sandbox does not share it. Throws what a handle's `syncOut` throws. */
  syncOut(): Promise<void>;
  /** Brings back what was done, and ends what this run has inside, the sandbox too where it is this run's own; the worktree and its lock stay. */
  close(): Promise<void>;
}
