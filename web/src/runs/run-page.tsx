/** Page of one run: its transcript, its answer and further facts. Follows a live run. */
import { useEffect, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  runDetailView,
  type RunDetailView,
  type RunEventView,
} from '@truecast/client/internal/wire/kept-run';
import { duration, money } from '../parts/format.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { answerPositions, type Span } from '../value/answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';
import { AnswerFields } from './answer-fields.tsx';
import { LiveTranscript } from './live-transcript.tsx';
import { MarkedTranscript } from './marked-transcript.tsx';
import { RunAnswerPanel } from './run-answer.tsx';
import { RunAttempts } from './run-attempts.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunEnvironmentFacts } from './run-environment.tsx';
import { RunLogView } from './run-log.tsx';
import { Replayed, titleOfRun } from './run-rows.tsx';
import { RunSide } from './run-side.tsx';
import { RunTabs } from './run-tabs.tsx';
import { useRunEvents, type FollowedEvents } from './use-run-events.ts';

export function RunPage({ id }: { readonly id: string }): ReactNode {
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
  const followed = useRunEvents(id, data !== undefined && (isLive || hasLog));
  const hasEnded = isLive && followed.isComplete;
  useEffect(() => {
    if (hasEnded) void refetch();
  }, [hasEnded, refetch]);
  return (
    <Page
      isFlush
      crumb={RUNS}
      title={data === undefined ? 'Run' : titleOfRun(data)}
      facts={data !== undefined && <HeadFacts run={data} />}
    >
      <div className="px-4 py-5 empty:hidden @2xl:px-5">
        {run.isPending && <Skeleton />}
        {run.error !== null && <ProblemBox error={run.error} onRetry={() => void refetch()} />}
      </div>
      {data !== undefined && <Run run={isLive ? soFar(data, followed.events) : data} followed={followed} />}
    </Page>
  );
}

const RUNS = { href: '/runs', name: 'Runs' };

function HeadFacts({ run }: { readonly run: RunDetailView }): ReactNode {
  const { status, attempts, agent, model, sandbox, egress, is_replayed: isReplayed, branch } = run;
  const place = [model === undefined ? agent : `${agent} ${model}`, sandbox, egress && `egress ${egress}`];
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5">
        <RunStatusWord isBadge status={status} />
        {status === 'valid' && <span className="text-xs text-ok">on attempt {attempts.length}</span>}
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
function soFar(run: RunDetailView, events: readonly RunEventView[]): RunDetailView {
  const of = (type: RunEventView['type']): readonly RunEventView[] =>
    events.filter((event) => event.type === type);
  return {
    ...run,
    attempts: of('attempt').map(({ name = '', text = '' }) => ({ code: name, message: text })),
    warnings: of('warning').map(({ text = '' }) => text),
    commits: of('commit').map(({ name = '' }) => name),
  };
}

interface RunProps {
  readonly run: RunDetailView;
  readonly followed: FollowedEvents;
}

function Run({ run, followed }: RunProps): ReactNode {
  const { attempts, commits } = run;
  const { get } = useAddressFilters();
  const marks = get('attempt') !== '' || get('field') !== '';
  // The text of a live run grows. A link to a place in the text opens the text.
  const hasChanges = commits.length > 0 && run.status !== 'live' && !marks;
  return (
    <RunTabs
      usual={hasChanges ? 'changes' : 'transcript'}
      tabs={[
        {
          name: 'changes',
          title: 'Changes',
          count: commits.length,
          content: () => (
            <BesideAnswer run={run}>
              <RunChanges run={run} />
            </BesideAnswer>
          ),
        },
        {
          name: 'transcript',
          title: 'Transcript',
          content: () => (
            <BesideAnswer run={run}>
              <Transcript run={run} followed={followed} />
            </BesideAnswer>
          ),
        },
        { name: 'answer', title: 'Answer', content: () => <RunAnswerPanel run={run} /> },
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
function useMarkedPlace({ transcript, attempts }: RunDetailView): MarkedPlace {
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
  if (run.status === 'live') return <LiveTranscript followed={followed} />;
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

interface BesideAnswerProps {
  readonly run: RunDetailView;
  readonly children: ReactNode;
}

/** Renders a part of the run with its answer and its commits next to it. */
function BesideAnswer({ run, children }: BesideAnswerProps): ReactNode {
  const { accepted, ...place } = useMarkedPlace(run);
  const { value_text: valueText, error } = run;
  if (run.status === 'live' && error === undefined) return children;
  // Where it is narrow, the answer comes first, and commits and facts are last.
  return (
    <div className="grid grid-cols-1 gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(320px,372px)]">
      <div className="contents @4xl:order-last @4xl:block @4xl:min-w-0">
        <div className="contents @4xl:sticky @4xl:top-19 @4xl:block @4xl:max-h-[calc(100dvh-92px)] @4xl:space-y-4 @4xl:overflow-y-auto">
          {error !== undefined && (
            <p className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3 break-words text-bad">
              {error}
            </p>
          )}
          {valueText !== undefined && (
            <AnswerFields valueText={valueText} note={noteOf(run)} span={accepted} {...place} />
          )}
          {run.status !== 'live' && (
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
function noteOf({ attempts, duration_ms: ms, usage }: RunDetailView): string {
  const cost = usage?.cost_usd === undefined ? [] : [money(usage.cost_usd)];
  return [`valid at attempt ${attempts.length}`, duration(ms), ...cost].join(' · ');
}
