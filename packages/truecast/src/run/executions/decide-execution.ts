/** Decision of an execution: how it continues the work of earlier ones. Pure. */
import type { ExecutionPhase } from './execution-record.ts';

/** Facts about the earlier executions of one id. */
export interface ExecutionFacts {
  /** Undefined for a new id. */
  readonly phase: ExecutionPhase | undefined;
  /** True if the agent's last session can be resumed on this machine. */
  readonly hasSession: boolean;
  /** True if an agent can have changed nothing outside of its worktree. */
  readonly isContained: boolean;
  /** True if the caller accepts that an agent starts from the beginning. */
  readonly restarts: boolean;
  /** The branch of the run. `landed`: it was removed, and its commits are in its target. */
  readonly branch: 'present' | 'landed' | 'missing';
}

/**
 * `start`: no agent has worked. `resume`: its session continues. `restart`: it gets the whole prompt
 * again, in the kept worktree. `land`: its answer is stored, and no agent starts. `return`: nothing is
 * left to do. `refuse`: an agent must not start again, or the work is gone.
 */
export type ExecutionDecision = 'start' | 'resume' | 'restart' | 'land' | 'return' | 'refuse';

/** Decides for one execution. Without a reason to refuse, no work is done twice. */
export function decideExecution(facts: ExecutionFacts): ExecutionDecision {
  switch (facts.phase) {
    case undefined:
    case 'opened':
      return 'start';
    case 'working':
      if (facts.hasSession) return 'resume';
      return facts.isContained || facts.restarts ? 'restart' : 'refuse';
    case 'answered':
      if (facts.branch === 'landed') return 'return';
      return facts.branch === 'present' ? 'land' : 'refuse';
    case 'ended':
      return 'return';
    default:
      return facts.phase satisfies never;
  }
}
