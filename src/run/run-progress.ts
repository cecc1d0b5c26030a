/** Owns what a run has done so far, so that it can be told whatever ends the run. */
import type { Attempt } from '../errors/attempt.ts';
import { sumUsage, type Usage } from '../errors/usage.ts';
import type { IterationResult } from './run-options.ts';
import { createTextTail, type TextTail } from './text-tail.ts';

/** The running account of a run; grows turn by turn. */
export interface RunProgress {
  /** When it began, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly iterations: IterationResult[];
  readonly attempts: Attempt[];
  readonly warnings: string[];
  /** The final result text of each iteration. */
  readonly stdout: TextTail;
  /** All of the agent's words. */
  readonly text: TextTail;
  completionSignal: string | undefined;
  sessionId: string | undefined;
  sessionFilePath: string | undefined;
  model: string | undefined;
  /** Usage of the turn under way. */
  currentUsage: Usage | undefined;
}

/** Makes the account of a run that has done nothing yet. */
export function createRunProgress(): RunProgress {
  return {
    startedAtMs: performance.now(),
    iterations: [],
    attempts: [],
    warnings: [],
    stdout: createTextTail(),
    text: createTextTail(),
    completionSignal: undefined,
    sessionId: undefined,
    sessionFilePath: undefined,
    model: undefined,
    currentUsage: undefined,
  };
}

/** What all turns together have used, the one under way included. */
export function totalUsage(progress: RunProgress): Usage | undefined {
  return sumUsage([...progress.iterations.map((iteration) => iteration.usage), progress.currentUsage]);
}
