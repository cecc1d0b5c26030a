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
  /** Usage of the turn under way, as the agent tells it. */
  currentUsage: Usage | undefined;
  /** Usage that a proxy counted: of the turn under way, and of the turns before. It is the account only where the agent tells none. */
  readonly modelUsage: { current: Usage | undefined; earlier: Usage | undefined };
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
    modelUsage: { current: undefined, earlier: undefined },
  };
}

/** Adds what one request to the model used, as a proxy counted it. */
export function addModelUsage({ modelUsage }: RunProgress, usage: Usage): void {
  modelUsage.current = sumUsage([modelUsage.current, usage]);
}

/** Ends the account of a turn; returns its usage: the agent's own where it tells one. */
export function closeTurnUsage(progress: RunProgress): Usage | undefined {
  const { modelUsage, currentUsage } = progress;
  const usage = currentUsage ?? modelUsage.current;
  modelUsage.earlier = totalModelUsage(progress);
  modelUsage.current = undefined;
  progress.currentUsage = undefined;
  return usage;
}

/** What a proxy counted over all turns. */
export function totalModelUsage({ modelUsage }: RunProgress): Usage | undefined {
  return sumUsage([modelUsage.earlier, modelUsage.current]);
}

/** What all turns together have used, the one under way included. */
export function totalUsage(progress: RunProgress): Usage | undefined {
  return sumUsage([
    ...progress.iterations.map((iteration) => iteration.usage),
    progress.currentUsage ?? progress.modelUsage.current,
  ]);
}
