/** Runs that repeat or continue a durable run, the oldest first. */
import { useQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { agentRunPageView, type AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import { useSession } from '../../session/session.tsx';

/** A run with more follow-ups has a list of them. */
const MAX_SHOWN = 20;

/** Reads them. The stream of the owner's changes makes them stale, as the list of runs. */
export function useNextRuns(id: string): readonly AgentRunView[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['runs', 'next', id],
    queryFn: ({ signal }) => {
      const path = `/api/runs${toQuery({ parent_id: id, limit: MAX_SHOWN })}`;
      return call({ method: 'GET', path, shape: agentRunPageView, signal });
    },
  });
  return data?.runs.toReversed() ?? [];
}
