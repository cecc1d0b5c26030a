/** Use of the worktree by a check: one that uses none is about the value alone. */
import type { OutputCheckContext } from '@truecast/core/internal/output/definition/definition';
import type { WorkingContext } from '../context/run-context.ts';

/** Context of a check in the agent's worktree, which notes its use. */
export interface NotedCheckContext {
  readonly context: OutputCheckContext;
  /** True if a check has read `exec` or `worktreePath`. */
  isTreeUsed(): boolean;
}

/** Creates the context of the checks of one run. */
export function noteTreeUse({
  workspace,
  stop,
}: Pick<WorkingContext, 'workspace' | 'stop'>): NotedCheckContext {
  let isUsed = false;
  const use = <T>(value: T): T => {
    isUsed = true;
    return value;
  };
  const exec: OutputCheckContext['exec'] = (command) =>
    workspace.handle.exec(command, { signal: stop.signal });
  return {
    context: {
      get worktreePath() {
        return use(workspace.worktreePath);
      },
      get exec() {
        return use(exec);
      },
      signal: stop.signal,
    },
    isTreeUsed: () => isUsed,
  };
}
