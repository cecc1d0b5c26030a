/** Progress of a run: its work so far, so that it can be reported however the run ends. */
import type { Attempt, RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { ClosedMode } from '../../ports/agent-provider.ts';
import type { IterationResult } from '../options/run-options.ts';
import { createTextTail, type TextTail } from '../../support/text-tail.ts';

/** Cumulative state of a run. Grows with each turn. */
export interface RunProgress {
  /** Start time by `performance.now()`. */
  readonly startedAtMs: number;
  readonly iterations: IterationResult[];
  readonly attempts: Attempt[];
  readonly warnings: string[];
  /** Work outside of the run's branch, by reference. */
  readonly recovered: Map<string, RecoveredRef>;
  /** Commits that the agent created in a sandbox with its own git directory. */
  readonly made: Set<string>;
  /** The final result text of each iteration. */
  readonly stdout: TextTail;
  /** All of the agent's text. */
  readonly text: TextTail;
  /** The prompt of the first turn. Undefined before it is expanded. */
  prompt: string | undefined;
  /** Name of the folder of attachments in the worktree. Absent without attachments. */
  attachmentFolder?: string;
  /** Lists that the agent has begun, of which previews were sent. */
  elementDrafts: number;
  /** Position in `text` at which the turn of each attempt began. */
  readonly turnStarts: number[];
  completionSignal: string | undefined;
  sessionId: string | undefined;
  sessionFilePath: string | undefined;
  /** Mode of the last session, if the agent can refuse its own tools in it. */
  closedMode: ClosedMode | undefined;
  model: string | undefined;
  /** Why the last request to the model got no answer, as a proxy knows it. */
  modelFailure: string | undefined;
  /** Usage of the current turn, as reported by the agent. */
  currentUsage: Usage | undefined;
  /** Usage of the current turn, as counted by a proxy. Used only if the agent reports none. */
  readonly modelUsage: { current: Usage | undefined };
}

export function createRunProgress(): RunProgress {
  return {
    startedAtMs: performance.now(),
    iterations: [],
    attempts: [],
    warnings: [],
    recovered: new Map(),
    made: new Set(),
    stdout: createTextTail(),
    text: createTextTail(),
    prompt: undefined,
    elementDrafts: 0,
    turnStarts: [],
    completionSignal: undefined,
    sessionId: undefined,
    sessionFilePath: undefined,
    closedMode: undefined,
    model: undefined,
    modelFailure: undefined,
    currentUsage: undefined,
    modelUsage: { current: undefined },
  };
}

/** Adds the usage of one model request, as counted by a proxy. */
export function addModelUsage({ modelUsage }: RunProgress, usage: Usage): void {
  modelUsage.current = sumUsage([modelUsage.current, usage]);
}

/** Closes the usage of a turn and returns it. The agent's own report takes precedence. */
export function closeTurnUsage(progress: RunProgress): Usage | undefined {
  const { modelUsage, currentUsage } = progress;
  const usage = currentUsage ?? modelUsage.current;
  modelUsage.current = undefined;
  progress.currentUsage = undefined;
  return usage;
}

/** Returns the usage of all turns, including the current one. */
export function totalUsage(progress: RunProgress): Usage | undefined {
  return sumUsage([
    ...progress.iterations.map((iteration) => iteration.usage),
    progress.currentUsage ?? progress.modelUsage.current,
  ]);
}
