/** Stage of a run: scrubber, filters and lines, with the event and the cast next to them. */
import { useMemo, type ReactNode, useState } from 'react';
import type { EnsembleRunView, LedgerEventView } from '@truecast/client/internal/wire/ensemble';
import { countText, money, plural } from '../parts/format.ts';
import { SelectField, useAddressFilters } from '../parts/list/select-field.tsx';
import { ActorLanes } from './actor-lanes.tsx';
import { EventPanel } from './event-panel.tsx';
import { LineList } from './line-list.tsx';
import { SayForm } from './say-form.tsx';
import { Scrubber } from './scrubber.tsx';
import { StageCast } from './stage-cast.tsx';
import { stageLines, type StageLine } from './stage-lines.ts';
import { spentOf } from './stage-spent.ts';
import { Sheet } from '../parts/dialog.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';

interface StageProps {
  readonly run: EnsembleRunView;
  readonly events: readonly LedgerEventView[];
}

/**
 * Renders the stage. Without a position in the address, it stays at the end, even while the run
 * grows.
 */
export function StageView({ run, events }: StageProps): ReactNode {
  const { get, set } = useAddressFilters();
  const lines = useMemo(() => stageLines(events), [events]);
  const [actor, kind, isPrivate] = [get('actor'), get('kind'), get('private') === 'yes'];
  const shown = lines.filter(
    (line) =>
      (actor === '' || line.actor === actor) &&
      (kind === '' || line.event.kind === kind) &&
      (!line.isPrivate || isPrivate),
  );
  const last = Math.max(0, shown.length - 1);
  const asked = Number(get('at') || last);
  const at = Number.isInteger(asked) ? Math.min(Math.max(0, asked), last) : last;
  const now = shown[at];
  const isOpen = run.ended_at === undefined;
  // In an open run, more lines follow. The end is therefore stored without a position.
  const move = (next: number): void => set('at', next === last && !isOpen ? '' : String(next));
  const isEnd = get('at') === '' || (!isOpen && at === last);
  return (
    <div className="grid gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(280px,360px)] @4xl:gap-10">
      <div className="min-w-0">
        <p className="mb-4 max-w-[80ch] text-muted">{[run.goal, `Seed: ${run.seed}`].join(' ').trim()}</p>
        <Scrubber
          at={at}
          lines={shown}
          onChange={move}
          marks={<ActorLanes run={run} lines={shown} at={at} />}
        >
          {isOpen && !isEnd && (
            <button className="button" data-press="l" onClick={() => set('at', '')}>
              Live{at < last && `, ${countText(last - at)} new`}
            </button>
          )}
        </Scrubber>
        <Spent events={events} now={now} />
        <Filters run={run} lines={lines} />
        <LineList run={run} lines={shown} at={at} />
        {isOpen && <SayForm runId={run.run_id} events={events} />}
      </div>
      <SidePanel>
        <StageCast run={run} actor={now?.actor} />
        {now !== undefined && (
          <EventPanel
            line={now}
            events={events}
            onOpen={(event) => {
              const place = shown.findIndex((line) => line.event === event);
              if (place !== -1) move(place);
            }}
            isOpenable={(event) => shown.some((line) => line.event === event)}
          />
        )}
      </SidePanel>
    </div>
  );
}

interface SpentProps {
  readonly events: readonly LedgerEventView[];
  readonly now: StageLine | undefined;
}

/** Calls up to the position. */
function Spent({ events, now }: SpentProps): ReactNode {
  const { calls, tokens, usd } = spentOf(
    now === undefined ? events : events.filter(({ offset }) => offset <= now.event.offset),
  );
  if (calls === 0) return null;
  return (
    <p className="mt-2 px-1 text-sm text-muted">
      {[
        plural(calls, 'call'),
        ...(tokens === undefined ? [] : [plural(tokens, 'token')]),
        ...(usd > 0 ? [money(usd)] : []),
      ].join(' · ')}{' '}
      up to here
    </p>
  );
}

interface FiltersProps {
  readonly run: EnsembleRunView;
  readonly lines: readonly StageLine[];
}

function Filters({ run, lines }: FiltersProps): ReactNode {
  const kinds = [...new Set(lines.map(({ event }) => event.kind))].sort();
  return (
    <div role="group" aria-label="Filters" className="mt-4 mb-2 flex flex-wrap gap-2 @max-2xl:*:flex-1">
      <SelectField
        label="Actor"
        name="actor"
        choices={[['', 'All actors'], ...run.cast.map(({ name }) => [name, name] as const)]}
      />
      <SelectField
        label="Kind"
        name="kind"
        choices={[['', 'All kinds'], ...kinds.map((kind) => [kind, kind] as const)]}
      />
      <SelectField
        label="Thoughts"
        name="private"
        choices={[
          ['', 'Without private thoughts'],
          ['yes', 'With private thoughts'],
        ]}
      />
    </div>
  );
}

/** Renders the panel, or the button that opens it. */
function SidePanel({ children }: { readonly children: ReactNode }): ReactNode {
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return <div className="min-w-0 @4xl:sticky @4xl:top-19 @4xl:self-start">{children}</div>;
  return (
    <>
      <button className="button w-full" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Event and cast <span aria-hidden="true">▴</span>
      </button>
      {isOpen && (
        <Sheet label="Event and cast" onClose={() => setOpen(false)}>
          {children}
        </Sheet>
      )}
    </>
  );
}
