/** Port of a run to the state of its executions, for a run with an id. */
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import type { RunAnswer } from './run-answer.ts';
import type { RunEvent } from '../events/run-events.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunWorkspace } from './workspace.ts';

/** Services with which a state is stored. */
export interface StoringServices {
  readonly options: Pick<NormalizedRunOptions, 'onCheckpoint'>;
  readonly progress: RunProgress;
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** One execution. Its methods store a state, and then report the checkpoint. */
export interface RunExecution {
  /** Its decision about the work of earlier executions. */
  readonly decision: 'start' | 'resume' | 'restart' | 'land' | 'return';
  /** Work that was lost with another machine. Undefined without any. */
  readonly moved: { readonly headSha?: string | undefined } | undefined;
  /** Commit before the first agent. Undefined before the worktree is ready. */
  readonly commitsSince: string | undefined;
  /** The worktree is ready, and no agent has started in it. */
  opened(services: StoringServices, workspace: Pick<RunWorkspace, 'worktree' | 'handle'>): Promise<void>;
  /** Stores what the run's events report. */
  observe(event: RunEvent, warn: (message: string) => void): void;
  /** Reports the copied session of a turn that continues. */
  sessionCopied(services: StoringServices, sessionFilePath: string): Promise<void>;
  /** A turn of the agent has ended. */
  turnEnded(services: StoringServices): Promise<void>;
  /** No agent is needed any more. */
  answered(services: StoringServices, answer: RunAnswer | undefined): Promise<void>;
  /** Lets another process execute the run. */
  close(): Promise<void>;
}
