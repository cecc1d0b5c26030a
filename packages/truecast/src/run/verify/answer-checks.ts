/**
 * Checks of a run's answers in the agent's worktree. One that reads no file there is about the value
 * alone.
 */
import type {
  AnyOutputDefinition,
  OutputCheckContext,
} from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { checkAnswer, type CheckedDefinition } from '@truecast/core/internal/output/validate/check-answer';
import type { WorkingContext } from '../context/run-context.ts';
import { checkInTime } from './check-time.ts';

/** Checks of one run. */
export interface AnswerChecks {
  /** Runs the check on an answer that its schema accepted. Another one is returned as it is. */
  check(answer: SafeExtractResult<unknown>): Promise<SafeExtractResult<unknown>>;
  /** True if a check has read `exec` or `worktreePath`. */
  isTreeUsed(): boolean;
}

/** Creates the checks of one run. */
export function createAnswerChecks(
  { workspace, stop, options }: Pick<WorkingContext, 'workspace' | 'stop' | 'options'>,
  output: AnyOutputDefinition,
): AnswerChecks {
  const { checkMs } = options.timeouts;
  let isUsed = false;
  const use = <T>(value: T): T => {
    isUsed = true;
    return value;
  };
  const contextUntil = (signal: AbortSignal): OutputCheckContext => {
    const exec: OutputCheckContext['exec'] = (command) => workspace.handle.exec(command, { signal });
    return {
      get worktreePath() {
        return use(workspace.worktreePath);
      },
      get exec() {
        return use(exec);
      },
      signal,
    };
  };
  const { tag, check }: CheckedDefinition = output;
  const limited: CheckedDefinition['check'] =
    check &&
    ((value, { signal }) => checkInTime((inTime) => check(value, contextUntil(inTime)), { signal, checkMs }));
  return {
    check: (answer) => checkAnswer(answer, { tag, check: limited }, contextUntil(stop.signal)),
    isTreeUsed: () => isUsed,
  };
}
