/** Usage of a turn from its captured session, for agents whose stream reports none. */
import { type Usage, priceUsage } from '@truecast/core/internal/kit/usage';
import type { WorkingContext } from '../context/run-context.ts';

/**
 * Returns the usage that the agent's `parseSessionUsage` finds. Returns undefined if the agent has
 * none, or if the session cannot be read.
 */
export async function readSessionUsage(
  { options, workspace }: WorkingContext,
  sessionId: string,
): Promise<Usage | undefined> {
  const { agent, prices } = options;
  if (agent.parseSessionUsage === undefined || agent.sessionStorage === undefined) return undefined;
  try {
    const content = await agent.sessionStorage.readHostSession(workspace.worktreePath, sessionId);
    const usage = content === undefined ? undefined : agent.parseSessionUsage(content);
    return usage === undefined ? undefined : priceUsage(usage, prices);
  } catch {
    // The agent's code failed. Its answer is not affected.
    return undefined;
  }
}
