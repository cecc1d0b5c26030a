/** Announcements of a turn for screen readers: each refusal, and the end of the request. */
import type { ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { describeAttempt } from '../../value/describe-attempt.ts';
import { plural } from '../../parts/format.ts';
import type { AnswerAttempt } from '../../value/value-state.ts';

interface AnnouncerProps {
  readonly attempts: readonly AnswerAttempt[];
  readonly receipt: Receipt | undefined;
}

/** Renders the latest event as a polite status. Streamed text is never announced. */
export function Announcer(props: AnnouncerProps): ReactNode {
  return (
    <p role="status" className="sr-only">
      {announcementOf(props)}
    </p>
  );
}

function announcementOf({ attempts, receipt }: AnnouncerProps): string {
  const { length } = attempts;
  const last = attempts.at(-1);
  if (receipt?.status === 'succeeded') {
    return `Valid answer after ${plural(Math.max(length, receipt.attempts.length), 'attempt')}.`;
  }
  if (receipt?.status === 'failed') return `No valid answer. ${receipt.error?.message ?? ''}`;
  if (receipt?.status === 'canceled') return 'The request was canceled.';
  if (last === undefined || last.attempt.code === 'ok') return '';
  return `Attempt ${length} refused: ${describeAttempt(last.attempt, last.value)}.`;
}
