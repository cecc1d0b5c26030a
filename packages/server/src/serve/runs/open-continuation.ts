/** Prompt and session of a run that continues another one. */
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import type { ClaimedRun } from '../../runs/agent-executor.ts';
import { continuedPrompt } from '../../runs/continued-run.ts';

/** Options of `run()` for a prompt in a session. */
export interface ContinuedOptions extends Pick<RunOptions, 'session'> {
  readonly prompt: string;
  /** For a session that is not on this machine. */
  readonly warning?: string;
}

/**
 * Returns the prompt in a copy of the session of the earlier run. So that session stays as it was, and an agent
 * that is killed starts again from it. Without the session, the prompt repeats the earlier ones.
 */
export async function openContinuation(
  { request, continued }: Pick<ClaimedRun, 'request' | 'continued'>,
  { sessionStorage, canFork, name }: AgentProvider,
): Promise<ContinuedOptions> {
  if (continued === undefined) return { prompt: request.prompt };
  const { sessionId } = continued;
  const found = sessionId === undefined ? undefined : (await sessionStorage?.findByIdOnHost(sessionId))?.path;
  const hasSession = sessionId !== undefined && found !== undefined;
  const prompt = continuedPrompt(request.prompt, continued, { hasSession });
  if (hasSession) return { prompt, session: { resume: sessionId, fork: canFork === true } };
  if (sessionId === undefined || sessionStorage === undefined) return { prompt };
  const warning = `The session \`${sessionId}\` of the agent \`${name}\` is not on this machine. The agent began a new one, with the earlier prompts.`;
  return { prompt, warning };
}
