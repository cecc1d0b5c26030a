/** Log of a run: its events with their times, the newest last. A live run adds to it. */
import type { ReactNode } from 'react';
import { clockTime, countText, exactTime } from '../parts/format.ts';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { RowList } from '../parts/list/row-list.tsx';
import type { FollowedEvents, LoggedEvent } from './model/followed-events.ts';

const ROW_PX = 37;

export function RunLogView({ followed }: { readonly followed: FollowedEvents }): ReactNode {
  const { events, isComplete, failure } = followed;
  if (failure !== undefined) return <ProblemBox error={failure} />;
  if (events.length === 0) {
    return isComplete ? <p className="text-muted">This run has no events.</p> : <Skeleton rows={6} />;
  }
  const rows = events.map((event) => ({ key: event.id, content: <Row event={event} /> }));
  return <RowList rows={rows} estimatedPx={ROW_PX} className="panel overflow-hidden" label="Events" />;
}

const NAMES: Readonly<Record<LoggedEvent['type'], string>> = {
  start: 'start',
  sandbox: 'sandbox',
  iteration: 'attempt begins',
  session: 'session',
  text: 'text',
  tool_call: 'tool',
  tool_result: 'result',
  host_tool: 'host tool',
  attempt: 'attempt ends',
  warning: 'warning',
  error: 'error',
  commit: 'commit',
  cut: 'cut',
  end: 'end',
  state: 'state',
  usage: 'usage',
};

function Row({ event }: { readonly event: LoggedEvent }): ReactNode {
  const { type, at, name, text = '' } = event;
  return (
    <div className="-mt-px grid grid-cols-[64px_minmax(0,1fr)] gap-x-4 border-t border-line px-4 py-2 @2xl:grid-cols-[64px_112px_minmax(0,1fr)]">
      <time className="text-sm text-muted tabular-nums" dateTime={at} title={exactTime(at)}>
        {clockTime(at)}
      </time>
      <span className={`text-sm ${lookOf(event)}`}>{NAMES[type]}</span>
      <span className="min-w-0 font-mono text-code break-words @max-2xl:col-start-2">
        {name !== undefined && <span className="mr-2 font-semibold">{name}</span>}
        {type === 'text' ? firstLine(text) : text}
        {type === 'cut' && 'The rest is in the transcript only.'}
      </span>
    </div>
  );
}

/** The transcript has the whole text. */
const SHOWN_CHARS = 120;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const shown = line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
  return text.length > shown.length + 1 ? `${shown} (${countText(text.length)} characters)` : shown;
}

function lookOf({ type, name, is_error: isError, text }: LoggedEvent): string {
  if (type === 'attempt') return name === 'ok' ? 'text-ok' : 'text-bad';
  if (type === 'error' || isError === true || (type === 'end' && text !== undefined)) return 'text-bad';
  return type === 'warning' ? 'text-warn' : 'text-muted';
}
