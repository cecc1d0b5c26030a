/** Decision of a worker that takes over a run: how it continues the work of earlier executions. Pure. */
import type { RunLoss } from './agent-executor.ts';
import type { RunPhase } from './run-transitions.ts';

/** Facts about the earlier executions, as the new worker finds them. */
export interface TakeoverFacts {
  readonly phase: RunPhase;
  /** `on_worker_loss` of the request. */
  readonly policy: 'auto' | 'resume' | 'restart' | 'fail';
  /** True if the last execution was on this machine, and its state is still here. */
  readonly isHere: boolean;
  /** True if the agent of another machine can have outlived its worker. */
  readonly agentMayLive: boolean;
  /** True if the agent's session is here, or was stored. */
  readonly hasSession: boolean;
  /** Commits of the run: `none`, here or in the branch that was pushed, or on a lost machine only. */
  readonly commits: 'none' | 'reachable' | 'lost';
  /** True if the commit before the first agent is in the repository of this machine. */
  readonly hasBase: boolean;
  /** True if an agent can have changed nothing outside of its worktree: its egress is `none` or `model`. */
  readonly isContained: boolean;
}

/**
 * `start`: no agent has worked. `continue`: the state on this machine says how. `finish`: settles, without an
 * agent. `resume`: the session continues in a worktree from which work can be missing. `restart`: another agent
 * begins, on another branch. `lost`: the run fails with this reason.
 */
export type TakeoverDecision =
  | { readonly type: 'start' | 'continue' | 'finish' | 'resume' | 'restart' }
  | { readonly type: 'lost'; readonly reason: RunLoss };

/** Decides for one execution. An agent is never started again if it can have done something outside. */
export function decideTakeover(facts: TakeoverFacts): TakeoverDecision {
  if (facts.isHere) return { type: 'continue' };
  switch (facts.phase) {
    case 'preparing':
      return { type: 'start' };
    case 'answered':
    case 'settled':
      return facts.commits === 'lost' || !facts.hasBase ? lost('no_tree') : { type: 'finish' };
    case 'working':
      return decideWorking(facts);
    default:
      return facts.phase satisfies never;
  }
}

function decideWorking(facts: TakeoverFacts): TakeoverDecision {
  const { policy, agentMayLive, hasSession, hasBase, isContained } = facts;
  if (agentMayLive) return lost('agent_may_live');
  if (!hasBase) return lost('no_tree');
  // The uncommitted changes of the other machine are missing, whatever was pushed.
  if (hasSession) return policy === 'fail' ? lost('no_tree') : { type: 'resume' };
  if (policy === 'restart' || (policy === 'auto' && isContained)) return { type: 'restart' };
  return lost('no_session');
}

function lost(reason: RunLoss): TakeoverDecision {
  return { type: 'lost', reason };
}
