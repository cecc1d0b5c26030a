/** Page of one run, kept or durable. Follows a live run. */
import { useEffect, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { agentRunDetailView, type AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { runDetailView, type RunDetailView } from '@truecast/client/internal/wire/kept-run';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { ContinueForm } from './durable/continue-form.tsx';
import { answerTag } from './durable/answer-tag.ts';
import { runQuestion } from './durable/run-question.ts';
import { RunButtons, useRunActions } from './durable/run-actions.tsx';
import { stateText, type FollowedEvents } from './model/followed-events.ts';
import { isKeptId, shownDurable, shownKept } from './model/shown-run.ts';
import { RunFrame } from './run-frame.tsx';
import { useDurableEvents, useKeptEvents } from './use-run-events.ts';

export function RunPage({ id }: { readonly id: string }): ReactNode {
  return isKeptId(id) ? <KeptRunPage id={id} /> : <DurableRunPage id={id} />;
}

function KeptRunPage({ id }: { readonly id: string }): ReactNode {
  const { call } = useSession();
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: `/api/kept_runs/${encodeURIComponent(id)}`, shape: runDetailView, signal }),
    // Events of a live run are followed, and a finished run does not change.
    staleTime: Infinity,
  });
  const { data, refetch } = run;
  const isLive = data?.status === 'live';
  const hasLog = useAddressFilters().get('tab') === 'log';
  const followed = useKeptEvents(id, { isWanted: data !== undefined && (isLive || hasLog), tag: data?.tag });
  const hasEnded = isLive && followed.isComplete;
  useEffect(() => {
    if (hasEnded) void refetch();
  }, [hasEnded, refetch]);
  const shown = data && shownKept(isLive ? soFar(data, followed) : data);
  return <RunFrame read={run} run={shown} followed={followed} />;
}

function DurableRunPage({ id }: { readonly id: string }): ReactNode {
  const { call } = useSession();
  const run = useQuery<AgentRunDetailView>({
    // The stream of the owner's changes makes it stale, as the list. A receipt never changes.
    queryKey: ['runs', 'one', id],
    enabled: ({ state }) => state.data?.receipt === undefined,
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: `/api/runs/${encodeURIComponent(id)}`, shape: agentRunDetailView, signal }),
  });
  const { data, refetch } = run;
  const followed = useDurableEvents(id, { isWanted: data !== undefined, tag: data && answerTag(data) });
  const actions = useRunActions(id);
  const isOld =
    data?.receipt === undefined && followed.state !== '' && followed.state !== (data && stateText(data));
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, followed.state, refetch]);
  const failure = actions.stop.error ?? actions.retry.error;
  const [isContinuing, setContinuing] = useState(false);
  const question = data && runQuestion(data);
  const form = data?.receipt !== undefined && (question !== undefined || isContinuing) && (
    <ContinueForm
      run={data}
      question={question}
      {...(question === undefined && { onClose: () => setContinuing(false) })}
    />
  );
  // The form of a question is open already.
  const onContinue = question === undefined ? { onContinue: () => setContinuing(true) } : {};
  return (
    <RunFrame
      read={run}
      run={data && shownDurable(data, followed, Date.now())}
      followed={followed}
      actions={data && <RunButtons run={data} actions={actions} {...onContinue} />}
      failure={failure ?? undefined}
      form={form}
    />
  );
}

/** Events of a live run are newer than its record. */
function soFar(run: RunDetailView, { attempts, warnings, commits }: FollowedEvents): RunDetailView {
  return { ...run, attempts, warnings, commits };
}
