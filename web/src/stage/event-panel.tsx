/**
 * Panel of the event at a position: its author, how the answer was obtained, its calls and its
 * cause.
 */
import type { ReactNode } from 'react';
import type { LedgerEventView } from '@truecast/client/internal/wire/ensemble';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { FactsList } from '../parts/facts-list.tsx';
import { clockTime, countText, duration, exactTime, money } from '../parts/format.ts';
import { callsBefore, spentOf } from './stage-spent.ts';
import { answerNotes, type StageLine } from './stage-lines.ts';

interface PanelProps {
  readonly line: StageLine;
  /** All events of the run. */
  readonly events: readonly LedgerEventView[];
  /** Shows another event. */
  readonly onOpen: (event: LedgerEventView) => void;
  /** Returns false for an event without a line. */
  readonly isOpenable: (event: LedgerEventView) => boolean;
}

export function EventPanel({ line: { event }, events, onOpen, isOpenable }: PanelProps): ReactNode {
  const place = events.indexOf(event);
  const cause = events.find(({ id }) => id === event.caused_by);
  const calls = callsBefore(events, place);
  const { tokens, usd, durationMs } = spentOf(calls);
  const codes = calls.map(({ payload }) => String(payload['code'])).filter((code) => code !== 'ok');
  const json = JSON.stringify(event.payload, undefined, 2);
  return (
    <section aria-label="Event" className="mt-6">
      <h2 className="mb-2 font-semibold">
        Event {countText(place + 1)} of {countText(events.length)}
      </h2>
      <FactsList
        facts={[
          ['Kind', event.kind],
          ['Model', event.model],
          ['Time', <time title={exactTime(event.created_at)}>{clockTime(event.created_at)}</time>],
          ['Answer', answerText(event)],
          [
            'Calls',
            calls.length === 0
              ? undefined
              : [
                  countText(calls.length),
                  duration(durationMs),
                  ...(tokens === undefined ? [] : [`${countText(tokens)} tokens`]),
                  ...(usd > 0 ? [money(usd)] : []),
                  ...codes,
                ].join(' · '),
          ],
          [
            'Caused by',
            cause && (
              <Cause
                text={`event ${countText(events.indexOf(cause) + 1)}, ${cause.actor}`}
                onOpen={isOpenable(cause) ? () => onOpen(cause) : undefined}
              />
            ),
          ],
        ]}
      />
      <details className="mt-2">
        <summary className="text-sm text-muted">JSON</summary>
        <pre className="panel mt-1 max-h-64 overflow-auto px-3 py-2" tabIndex={0}>
          {json}
        </pre>
        <CopyButton text={json} />
      </details>
    </section>
  );
}

interface CauseProps {
  readonly text: string;
  readonly onOpen: (() => void) | undefined;
}

function Cause({ text, onOpen }: CauseProps): ReactNode {
  if (onOpen === undefined) return text;
  return (
    <button type="button" className="text-left text-accent-ink underline" onClick={onOpen}>
      {text}
    </button>
  );
}

/** Absent for an event without a model. */
function answerText({ provenance }: LedgerEventView): string | undefined {
  if (provenance === undefined) return undefined;
  return answerNotes(provenance).join(' · ') || 'first try';
}
