/** Turn that continues after a rate or usage limit: waits for the reset, then resumes the session. */
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import type { WorkingContext } from '../context/run-context.ts';
import type { AgentProcessResult } from '../turn/run-agent-turn.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';

export interface TurnRequest {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly forkSession: boolean;
  readonly finder: AnswerFinder | undefined;
}

/** Prompt of a session that a limit interrupted. The session already contains the task. */
const CONTINUE_PROMPT =
  'A limit of the model service interrupted you. It was reset. Continue your task where you stopped.';

/**
 * Runs a turn. With `policies.onLimit: 'wait'`, waits for the reset of a limit and continues in the same
 * session. An agent without sessions is started again with the same prompt, in the same worktree.
 */
export async function takeTurnThroughLimits(
  context: WorkingContext,
  request: TurnRequest,
  runOnce: (request: TurnRequest) => Promise<AgentProcessResult>,
): Promise<AgentProcessResult> {
  let next = request;
  for (;;) {
    try {
      return await runOnce(next);
    } catch (error) {
      await waitForReset(context, error);
      next = continued(context, request);
    }
  }
}

/** Waits for the reset of a limit. @throws the error, if the run does not wait for it */
async function waitForReset(
  { options, limitWait, stop, warn }: WorkingContext,
  error: unknown,
): Promise<void> {
  if (!AgentError.isInstance(error) || error.code !== 'rate-limit' || options.onLimit !== 'wait') throw error;
  const time = limitWait.plan(error.resetsAt);
  if (time === undefined) {
    error.message = error.message.replace(
      / To wait and continue.*$/u,
      ' To wait longer, raise `timeouts.limitWaitMs`.',
    );
    throw error;
  }
  warn(
    `The agent \`${options.agent.name}\` reached a limit of its model service. It continues at ${time.toISOString()}.`,
  );
  await limitWait.waitUntil(time, stop.signal);
}

function continued({ options, progress, emit }: WorkingContext, request: TurnRequest): TurnRequest {
  emit({
    type: 'iteration-start',
    iteration: progress.iterations.length + 1,
    attempt: progress.attempts.length + 1,
  });
  if (progress.sessionId === undefined || options.agent.sessionStorage === undefined) return request;
  return { ...request, prompt: CONTINUE_PROMPT, resumeSession: progress.sessionId, forkSession: false };
}
