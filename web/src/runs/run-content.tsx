/** Parts of a run in tabs, with its answer beside them. */
import type { ReactNode } from 'react';
import { duration, money } from '../parts/format.ts';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { answerPositions, type Span } from '../value/answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';
import { AnswerFields, AnswerText } from './answer-fields.tsx';
import { FailureBox } from './failure-box.tsx';
import type { FollowedEvents } from './model/followed-events.ts';
import { hasLiveAnswer, LiveAnswerCard } from './live-answer.tsx';
import { LiveTranscript } from './live-transcript.tsx';
import { MarkedTranscript } from './marked-transcript.tsx';
import { runQuestion } from './durable/run-question.ts';
import { QueuedRun } from './durable/queued-run.tsx';
import { RunAnswerPanel } from './run-answer.tsx';
import { RunAttempts } from './run-attempts.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunEnvironmentFacts } from './run-environment.tsx';
import { RunLogView } from './run-log.tsx';
import { RunSide } from './run-side.tsx';
import { RunTabs } from './run-tabs.tsx';
import type { ShownRun } from './model/shown-run.ts';

interface RunProps {
  readonly run: ShownRun;
  readonly followed: FollowedEvents;
}

export function RunContent({ run, followed }: RunProps): ReactNode {
  const { attempts, commits, durable } = run;
  const { get } = useAddressFilters();
  const marks = get('attempt') !== '' || get('field') !== '';
  // The text of a live run grows. A link to a place in the text opens the text.
  const hasEnded = durable === undefined ? run.status !== 'live' : durable.receipt !== undefined;
  const hasChanges = commits.length > 0 && hasEnded && !marks;
  const changes = {
    name: 'changes',
    title: 'Changes',
    count: commits.length,
    content: () => (
      <BesideAnswer run={run} followed={followed}>
        <RunChanges run={run} />
      </BesideAnswer>
    ),
  };
  return (
    <RunTabs
      usual={hasChanges ? 'changes' : 'transcript'}
      tabs={[
        changes,
        {
          name: 'transcript',
          title: 'Transcript',
          content: () =>
            durable !== undefined && run.status === 'queued' ? (
              <QueuedRun run={durable} />
            ) : (
              <BesideAnswer run={run} followed={followed}>
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
            <BesideAnswer run={run} followed={followed}>
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

interface BesideAnswerProps extends RunProps {
  readonly children: ReactNode;
}

/** Renders a part of the run with its answer and its commits next to it. */
function BesideAnswer({ run, followed, children }: BesideAnswerProps): ReactNode {
  const { accepted, ...place } = useMarkedPlace(run);
  const { value_text: valueText, text, failure, status, durable } = run;
  // A question is above the tabs already.
  const isAsking = durable !== undefined && runQuestion(durable) !== undefined;
  const isGrowing = hasLiveAnswer(run, followed.answer);
  const hasSide = status !== 'live' || durable !== undefined || isGrowing;
  if (!hasSide && failure === undefined) return children;
  // Where it is narrow, the answer comes first, and commits and facts are last.
  return (
    <div className="grid grid-cols-1 gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(320px,372px)]">
      <div className="contents @4xl:order-last @4xl:block @4xl:min-w-0">
        <div className="contents @4xl:sticky @4xl:top-19 @4xl:block @4xl:max-h-[calc(100dvh-92px)] @4xl:space-y-4 @4xl:overflow-y-auto">
          {failure !== undefined && <FailureBox status={status} failure={failure} />}
          {isGrowing && <LiveAnswerCard run={run} answer={followed.answer} />}
          {valueText !== undefined && !isAsking && (
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
