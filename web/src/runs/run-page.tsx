/** Page of one run, kept or durable: its transcript, its answer and further facts. Follows a live run. */
import { useEffect, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { agentRunDetailView, type AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { runDetailView, type RunDetailView } from '@truecast/client/internal/wire/kept-run';
import { duration, money } from '../parts/format.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { Elapsed } from '../parts/relative-time.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { answerPositions, type Span } from '../value/answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';
import { AnswerFields, AnswerText } from './answer-fields.tsx';
import { FailureBox } from './failure-box.tsx';
import { stateText, type FollowedEvents } from './model/followed-events.ts';
import { LiveTranscript } from './live-transcript.tsx';
import { MarkedTranscript } from './marked-transcript.tsx';
import { QueuedRun } from './durable/queued-run.tsx';
import { RunButtons, useRunActions } from './durable/run-actions.tsx';
import { RunAnswerPanel } from './run-answer.tsx';
import { RunAttempts } from './run-attempts.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunEnvironmentFacts } from './run-environment.tsx';
import { RunLogView } from './run-log.tsx';
import { Replayed, titleOfRun } from './list/run-rows.tsx';
import { RunSide } from './run-side.tsx';
import { RunTabs } from './run-tabs.tsx';
import { isKeptId, shownDurable, shownKept, type ShownRun } from './model/shown-run.ts';
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
  const followed = useKeptEvents(id, data !== undefined && (isLive || hasLog));
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
  const followed = useDurableEvents(id, data !== undefined);
  const actions = useRunActions(id);
  const isOld =
    data?.receipt === undefined && followed.state !== '' && followed.state !== (data && stateText(data));
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, followed.state, refetch]);
  const failure = actions.stop.error ?? actions.retry.error;
  return (
    <RunFrame
      read={run}
      run={data && shownDurable(data, followed, Date.now())}
      followed={followed}
      actions={data && <RunButtons run={data} actions={actions} />}
      failure={failure ?? undefined}
    />
  );
}

interface FrameProps {
  readonly read: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly run: ShownRun | undefined;
  readonly followed: FollowedEvents;
  readonly actions?: ReactNode;
  /** Why an action failed. */
  readonly failure?: Error | undefined;
}

function RunFrame({ read, run, followed, actions, failure }: FrameProps): ReactNode {
  return (
    <Page
      isFlush
      crumb={RUNS}
      title={run === undefined ? 'Run' : titleOfRun(run)}
      facts={run !== undefined && <HeadFacts run={run} />}
      actions={actions}
    >
      <div className="space-y-3 px-4 py-5 empty:hidden @2xl:px-5">
        {read.isPending && <Skeleton />}
        {read.error !== null && <ProblemBox error={read.error} onRetry={() => void read.refetch()} />}
        {failure !== undefined && <ProblemBox error={failure} />}
      </div>
      {run !== undefined && <Run run={run} followed={followed} />}
    </Page>
  );
}

const RUNS = { href: '/runs', name: 'Runs' };

function HeadFacts({ run }: { readonly run: ShownRun }): ReactNode {
  const { status, attempts, agent, model, sandbox, egress, is_replayed: isReplayed, branch, durable } = run;
  const name = model === undefined ? agent : `${agent} ${model}`;
  const place = [name, durable?.repository, sandbox, egress && `egress ${egress}`];
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5">
        <RunStatusWord isBadge status={status} />
        {status === 'valid' && attempts.length > 0 && (
          <span className="text-xs text-ok">on attempt {attempts.length}</span>
        )}
        {durable !== undefined && (status === 'live' || status === 'canceling') && (
          <Elapsed since={run.started_at} />
        )}
      </span>
      {isReplayed === true && <Replayed />}
      <span className="text-xs text-muted">{place.filter(Boolean).join(' · ')}</span>
      {branch !== undefined && (
        <code className="min-w-0 truncate text-xs text-muted" title={branch}>
          {branch}
        </code>
      )}
    </>
  );
}

/** Events of a live run are newer than its record. */
function soFar(run: RunDetailView, { attempts, warnings, commits }: FollowedEvents): RunDetailView {
  return { ...run, attempts, warnings, commits };
}

interface RunProps {
  readonly run: ShownRun;
  readonly followed: FollowedEvents;
}

function Run({ run, followed }: RunProps): ReactNode {
  const { attempts, commits, durable } = run;
  const { get } = useAddressFilters();
  const marks = get('attempt') !== '' || get('field') !== '';
  // The text of a live run grows. A link to a place in the text opens the text.
  const hasChanges = commits.length > 0 && run.status !== 'live' && durable === undefined && !marks;
  const changes = {
    name: 'changes',
    title: durable === undefined ? 'Changes' : 'Commits',
    count: commits.length,
    content: () => (
      <BesideAnswer run={run}>
        <RunChanges run={run} />
      </BesideAnswer>
    ),
  };
  return (
    <RunTabs
      usual={hasChanges ? 'changes' : 'transcript'}
      tabs={[
        ...(durable === undefined ? [changes] : []),
        {
          name: 'transcript',
          title: 'Transcript',
          content: () =>
            durable !== undefined && run.status === 'queued' ? (
              <QueuedRun run={durable} />
            ) : (
              <BesideAnswer run={run}>
                <Transcript run={run} followed={followed} />
              </BesideAnswer>
            ),
        },
        { name: 'answer', title: 'Answer', content: () => <RunAnswerPanel run={run} /> },
        ...(durable === undefined ? [] : [changes]),
        {
          name: 'attempts',
          title: 'Attempts',
          count: attempts.length,
          content: () => (
            <BesideAnswer run={run}>
              <RunAttempts attempts={attempts} />
            </BesideAnswer>
          ),
        },
        { name: 'environment', title: 'Environment', content: () => <RunEnvironmentFacts run={run} /> },
        { name: 'log', title: 'Log', content: () => <RunLogView followed={followed} /> },
      ]}
    />
  );
}

interface MarkedPlace {
  readonly accepted: Span | undefined;
  readonly positions: ReadonlyMap<string, JsonSpan>;
  /** The selected field. Empty without one. */
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

/** Reads where the answer is in the text, and which field the address selects. */
function useMarkedPlace({ transcript, attempts }: ShownRun): MarkedPlace {
  const { get, change } = useAddressFilters();
  const accepted = attempts.findLast(({ code, span }) => code === 'ok' && span !== undefined)?.span;
  const positions = accepted === undefined ? new Map() : answerPositions(transcript.text, accepted);
  const field = get('field');
  const onShow = (pointer: string): void =>
    change({ field: pointer === field ? '' : pointer, tab: 'transcript', commit: '' });
  return { accepted, positions, field, onShow };
}

function Transcript({ run, followed }: RunProps): ReactNode {
  const { get } = useAddressFilters();
  const { positions, field, onShow } = useMarkedPlace(run);
  const { status, durable } = run;
  if (status === 'live') return <LiveTranscript followed={followed} />;
  if (status === 'canceling') return <LiveTranscript followed={followed} activity={STOPPING} />;
  if (durable !== undefined && followed.failure !== undefined) return <ProblemBox error={followed.failure} />;
  if (durable !== undefined && !followed.isComplete) return <Skeleton />;
  return (
    <MarkedTranscript
      transcript={run.transcript}
      attempts={run.attempts}
      tag={run.tag}
      attempt={get('attempt')}
      positions={positions}
      field={field}
      onShow={onShow}
    />
  );
}

const STOPPING = 'The agent is stopped. Its commits remain.';

interface BesideAnswerProps {
  readonly run: ShownRun;
  readonly children: ReactNode;
}

/** Renders a part of the run with its answer and its commits next to it. */
function BesideAnswer({ run, children }: BesideAnswerProps): ReactNode {
  const { accepted, ...place } = useMarkedPlace(run);
  const { value_text: valueText, text, failure, status, durable } = run;
  const hasSide = status !== 'live' || durable !== undefined;
  if (!hasSide && failure === undefined) return children;
  // Where it is narrow, the answer comes first, and commits and facts are last.
  return (
    <div className="grid grid-cols-1 gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(320px,372px)]">
      <div className="contents @4xl:order-last @4xl:block @4xl:min-w-0">
        <div className="contents @4xl:sticky @4xl:top-19 @4xl:block @4xl:max-h-[calc(100dvh-92px)] @4xl:space-y-4 @4xl:overflow-y-auto">
          {failure !== undefined && <FailureBox status={status} failure={failure} />}
          {valueText !== undefined && (
            <AnswerFields valueText={valueText} note={noteOf(run)} span={accepted} {...place} />
          )}
          {text !== undefined && <AnswerText text={text} />}
          {hasSide && (
            <div className="order-last min-w-0 space-y-4">
              <RunSide run={run} />
            </div>
          )}
        </div>
      </div>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

/** `valid at attempt 2 · 36 s · $0.08`. */
function noteOf({ attempts, duration_ms: ms, usage, status }: ShownRun): string {
  const cost = usage?.cost_usd === undefined ? [] : [money(usage.cost_usd)];
  const place = status === 'failed' ? ', but its work is not on the branch' : '';
  return [`valid at attempt ${attempts.length}${place}`, duration(ms), ...cost].join(' · ');
}
