/**
 * Events of a run, and the promise that is also an iterable of them.
 *
 * run-start → sandbox-ready → (iteration-start → session, text, thinking, tool-call, tool-result,
 * host-tool, usage, element, warning … → attempt-end)* → commits → run-end
 */
import type { CommitRef, RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import type { Issue } from '@truecast/core/internal/kit/issue';
import type { AgentEvent } from '../../ports/agent-provider.ts';

/** Events of a run, in addition to the agent's own. */
export type LifecycleEvent =
  /** The worktree is ready. */
  | {
      readonly type: 'run-start';
      readonly agent: string;
      readonly sandbox: string;
      readonly branch: string;
      readonly worktreePath: string;
      readonly logFilePath?: string;
    }
  /** The sandbox has started. */
  | {
      readonly type: 'sandbox-ready';
      readonly egress?: string;
      /** False if the sandbox cannot enforce any policy: a custom or remote sandbox, or none. */
      readonly enforcesEgress: boolean;
      /** Limits that the sandbox cannot enforce on this machine. */
      readonly unenforcedLimits?: readonly string[];
    }
  /** A process of the agent starts. */
  | { readonly type: 'iteration-start'; readonly iteration: number; readonly attempt: number }
  /** A piece of the agent's stdout, with secrets masked. */
  | { readonly type: 'raw'; readonly text: string }
  /**
   * The agent called a tool of `tools`, which ran on the host. Without its arguments and its result,
   * which are in the agent's own events.
   */
  | {
      readonly type: 'host-tool';
      readonly name: string;
      /** True if the agent got an error as the result. */
      readonly isError: boolean;
      readonly durationMs: number;
    }
  /** Preview of an element of `Output.array()` with a `tag`: valid, complete, and not yet a part of the answer. One of a higher `draft` replaces all before it. Only sent to a loop over the run. */
  | {
      readonly type: 'element';
      readonly draft: number;
      readonly index: number;
      readonly value: unknown;
    }
  /** The answer was validated: `ok`, or the code of the failure. `issues` are the broken rules of a refused value. */
  | {
      readonly type: 'attempt-end';
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
      readonly issues?: readonly Issue[];
    }
  /** The agent's commits, after its last process. */
  | { readonly type: 'commits'; readonly commits: readonly CommitRef[] }
  /** Number of text, thinking and element events that were dropped because no reader was fast enough. */
  | { readonly type: 'dropped'; readonly count: number }
  /** The last event, in success and failure. */
  | { readonly type: 'run-end'; readonly evidence: RunEvidence; readonly error?: unknown };

/** An event of a run, with its time. */
export type RunEvent = (AgentEvent | LifecycleEvent) & {
  readonly timestamp: Date;
  readonly iteration: number;
};

/** A running run. Await it for its result, iterate it for its events, or both. */
export interface RunPromise<TResult> extends Promise<TResult>, AsyncIterable<RunEvent> {}
