/**
 * Owns the events of a run, and the promise that is also an iterable of them.
 *
 * run-start → sandbox-ready → (iteration-start → session, text, thinking, tool-call, tool-result, usage, warning … → attempt-end)* → commits → run-end
 */
import type { CommitRef, RunEvidence } from '../errors/run-evidence.ts';
import type { AgentEvent } from './agents/agent-provider.ts';

/** What happens in a run beside the agent's own events. */
export type LifecycleEvent =
  | {
      readonly type: 'run-start';
      readonly agent: string;
      readonly sandbox: string;
      readonly branch: string;
      readonly worktreePath: string;
      readonly logFilePath?: string;
    }
  | { readonly type: 'sandbox-ready'; readonly egress?: string }
  | { readonly type: 'iteration-start'; readonly iteration: number; readonly attempt: number }
  | { readonly type: 'raw'; readonly text: string }
  | {
      readonly type: 'attempt-end';
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'commits'; readonly commits: readonly CommitRef[] }
  /** Text and thinking events that nobody read in time. */
  | { readonly type: 'dropped'; readonly count: number }
  | { readonly type: 'run-end'; readonly evidence: RunEvidence; readonly error?: unknown };

/** One thing that happened in a run, and when. */
export type RunEvent = (AgentEvent | LifecycleEvent) & {
  readonly timestamp: Date;
  readonly iteration: number;
};

/** A run under way: await it for its result, or iterate it for its events, or both. */
export interface RunPromise<TResult> extends Promise<TResult>, AsyncIterable<RunEvent> {}
