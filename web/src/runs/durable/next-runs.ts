/** Durable runs with a parent: those that repeat or continue a run, or that a chat asked for. */
import { useQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { agentRunPageView, type AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import { useSession } from '../../session/session.tsx';

/** A run with more follow-ups has a list of them. */
const MAX_SHOWN = 20;

interface NextRunsOptions {
  /** The newest ones are read. @default 20 */
  readonly limit?: number;
  /** @default true */
  readonly isEnabled?: boolean;
}

/** Reads them, the oldest first. The stream of the owner's changes makes them stale, as the list of runs. */
export function useNextRuns(
  id: string,
  { limit = MAX_SHOWN, isEnabled = true }: NextRunsOptions = {},
): readonly AgentRunView[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['runs', 'next', id, limit],
    enabled: isEnabled,
    queryFn: ({ signal }) => {
      const path = `/api/runs${toQuery({ parent_id: id, limit })}`;
      return call({ method: 'GET', path, shape: agentRunPageView, signal });
    },
  });
  return data?.runs.toReversed() ?? [];
}
