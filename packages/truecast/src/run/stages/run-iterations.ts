/** Iterations of a run without an answer: turns until the agent reports that it is done. */
import type { WorkingContext } from '../context/run-context.ts';
import { takeTurn } from './take-turn.ts';

/** Runs the agent until it writes its completion signal, at most `maxIterations` times. */
export async function runIterations(context: WorkingContext, prompt: string): Promise<void> {
  const { options, progress } = context;
  for (let iteration = 1; iteration <= options.maxIterations; iteration += 1) {
    context.emit({ type: 'iteration-start', iteration: progress.iterations.length + 1, attempt: 1 });
    const isFirst = iteration === 1;
    await takeTurn(context, {
      prompt,
      resumeSession: isFirst ? options.resumeSession : undefined,
      forkSession: isFirst && options.forkSession,
      finder: undefined,
    });
    if (progress.completionSignal !== undefined) return;
  }
  // One iteration is a task, more are work until the agent reports its end.
  if (options.maxIterations > 1) {
    context.warn(
      `All ${options.maxIterations} iterations are used up, and the agent did not print its completion signal. Its work can be incomplete.`,
    );
  }
}
