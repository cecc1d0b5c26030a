/** Histogram of the receipts by day: sealed and failed ones. A bar filters the list by its time. */
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { qualityView, type QualityView } from '@truecast/client/internal/wire/quality';
import { plural } from '../parts/format.ts';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { dateText } from '../parts/bucket-text.ts';
import { barsOf, type DayBar } from './day-bars.ts';

/** Filters that the counts of answers have too. */
export interface CountedFilters {
  readonly model: string | undefined;
  readonly name: string | undefined;
  readonly schema_hash: string | undefined;
}

/** Reads the counts of the answers of chats since a time. */
export function useAnswerCounts(
  since: string,
  filters: CountedFilters,
  isEnabled: boolean,
): UseQueryResult<QualityView> {
  const { call } = useSession();
  // The time moves on. A day of it names the query.
  return useQuery({
    queryKey: ['quality', 'counts', since.slice(0, 13), filters],
    enabled: isEnabled,
    queryFn: ({ signal }) => {
      const path = `/api/quality${toQuery({ since, by: 'source', source: 'chats', ...filters })}`;
      return call({ method: 'GET', path, shape: qualityView, signal });
    },
    placeholderData: (previous) => previous,
  });
}

/** Renders the bars, or nothing without an answer. Arrow keys move between them. */
export function ReceiptDays({ report }: { readonly report: QualityView }): ReactNode {
  const { get, change } = useAddressFilters();
  const bars = barsOf(report);
  const [at, setAt] = useState<number>();
  if (bars.every(({ answers }) => answers === 0)) return null;
  const now = Math.min(at ?? bars.length - 1, bars.length - 1);
  const highest = Math.max(...bars.map(({ answers }) => answers));
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = Math.min(bars.length - 1, Math.max(0, now + step));
    if (step === 0) return;
    event.preventDefault();
    setAt(next);
    const bar = event.currentTarget.children[next];
    if (bar instanceof HTMLElement) bar.focus();
  };
  const choose = (bar: DayBar): void => {
    const isChosen = get('since') === bar.start;
    change(isChosen ? { since: '', until: '' } : { since: bar.start, until: bar.end, days: '' });
  };
  return (
    <figure aria-label={`Receipts by ${report.bucket}`} className="hidden @xl:block">
      <div
        role="toolbar"
        aria-label="Filter by time"
        className="flex h-11 items-end gap-[3px]"
        onKeyDown={onKeyDown}
      >
        {bars.map((bar, index) => (
          <Bar
            key={bar.start}
            bar={bar}
            highest={highest}
            name={dateText(bar.start, report.bucket)}
            isChosen={get('since') === bar.start}
            isReached={index === now}
            onChoose={() => choose(bar)}
          />
        ))}
      </div>
      <figcaption className="mt-1 flex justify-between border-t border-line pt-1 text-2xs text-muted">
        <span>{dateText(bars[0]?.start ?? report.since, report.bucket)}</span>
        <span className="inline-flex gap-3">
          <Mark look="bg-control/45">sealed</Mark>
          <Mark look="bg-bad-fill">failed</Mark>
        </span>
        <span>{dateText(bars.at(-1)?.start ?? report.until, report.bucket)}</span>
      </figcaption>
    </figure>
  );
}

function Mark({ look, children }: { readonly look: string; readonly children: string }): ReactNode {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className={`size-2 rounded-[2px] ${look}`} />
      {children}
    </span>
  );
}

interface BarProps {
  readonly bar: DayBar;
  readonly highest: number;
  readonly name: string;
  readonly isChosen: boolean;
  /** True for the one bar that the Tab key reaches. */
  readonly isReached: boolean;
  readonly onChoose: () => void;
}

function Bar({
  bar: { answers, failed },
  highest,
  name,
  isChosen,
  isReached,
  onChoose,
}: BarProps): ReactNode {
  const label = `${name}: ${plural(answers, 'receipt')}, ${failed} failed`;
  const share = (part: number): string => `${(100 * part) / highest}%`;
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isChosen}
      title={label}
      tabIndex={isReached ? 0 : -1}
      className={`flex h-full min-w-0 flex-1 flex-col justify-end gap-px rounded-t-[2px] hover:bg-hover ${isChosen ? 'bg-accent-soft outline outline-accent-edge' : ''}`}
      onClick={onChoose}
    >
      {failed > 0 && (
        <span className="min-h-0.5 rounded-t-[2px] bg-bad-fill" style={{ height: share(failed) }} />
      )}
      {answers > failed && (
        <span
          className="min-h-0.5 rounded-t-[2px] bg-control/45"
          style={{ height: share(answers - failed) }}
        />
      )}
    </button>
  );
}
