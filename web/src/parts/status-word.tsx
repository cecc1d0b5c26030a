/** Words and icons of states: in rows without a box, and as a badge beside a title. */
import type { ReactNode } from 'react';
import type { ChatStatus, Receipt } from '@truecast/client';
import type { KeptRunView } from '@truecast/client/internal/wire/kept-run';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'plain' | 'ok' | 'bad' | 'warn' | 'live';

interface Look {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

const TEXT: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  ok: 'text-ok',
  bad: 'text-bad',
  warn: 'text-warn',
  live: 'text-accent-ink',
};
const BADGE: Readonly<Record<Tone, string>> = {
  plain: '',
  ok: 'badge-ok',
  bad: 'badge-bad',
  warn: 'badge-warn',
  live: 'badge-live',
};

/** A state of a newer server, by its name. */
function newer(status: string): Look {
  return { word: status.replaceAll('_', ' '), icon: 'queued', tone: 'plain' };
}

const CHAT: Readonly<Record<ChatStatus, Look>> = {
  waiting: { word: 'idle', icon: 'queued', tone: 'plain' },
  running: { word: 'running', icon: 'live', tone: 'live' },
  interrupting: { word: 'stopping', icon: 'live', tone: 'live' },
  requires_action: { word: 'waits for you', icon: 'waits', tone: 'warn' },
  error: { word: 'error', icon: 'failed', tone: 'bad' },
};
const REQUEST: Readonly<Record<Receipt['status'], Look>> = {
  queued: { word: 'queued', icon: 'queued', tone: 'plain' },
  running: { word: 'running', icon: 'live', tone: 'live' },
  succeeded: { word: 'valid', icon: 'valid', tone: 'ok' },
  failed: { word: 'failed', icon: 'failed', tone: 'bad' },
  canceled: { word: 'canceled', icon: 'stopped', tone: 'plain' },
};
/** States of kept runs and of durable ones. */
type RunStatus = KeptRunView['status'] | 'queued' | 'canceling' | 'canceled';
const RUN: Readonly<Record<RunStatus, Look>> = {
  queued: { word: 'queued', icon: 'queued', tone: 'plain' },
  live: { word: 'running', icon: 'live', tone: 'live' },
  canceling: { word: 'stopping', icon: 'live', tone: 'live' },
  canceled: { word: 'canceled', icon: 'stopped', tone: 'plain' },
  interrupted: { word: 'interrupted', icon: 'waits', tone: 'warn' },
  valid: { word: 'valid', icon: 'valid', tone: 'ok' },
  failed: { word: 'failed', icon: 'failed', tone: 'bad' },
  done: { word: 'done', icon: 'valid', tone: 'plain' },
};

interface WordProps<Status> {
  readonly status: Status;
  /** True for a pill, as beside a title. @default false */
  readonly isBadge?: boolean;
}

function StateWord({
  look: { word, icon, tone },
  isBadge = false,
}: {
  readonly look: Look;
  readonly isBadge?: boolean | undefined;
}): ReactNode {
  const place = isBadge
    ? `badge ${BADGE[tone]}`
    : `inline-flex items-center gap-1.5 text-sm font-medium whitespace-nowrap ${TEXT[tone]}`;
  return (
    <span className={place}>
      <Icon name={icon} className="size-3.5" />
      {word}
    </span>
  );
}

export function ChatStatusWord({ status, isBadge }: WordProps<ChatStatus>): ReactNode {
  return <StateWord look={CHAT[status] ?? newer(status)} isBadge={isBadge} />;
}

export function RequestStatusWord({ status, isBadge }: WordProps<Receipt['status']>): ReactNode {
  return <StateWord look={REQUEST[status] ?? newer(status)} isBadge={isBadge} />;
}

const ENSEMBLE: Readonly<Record<'live' | 'open' | 'ended', Look>> = {
  live: { word: 'live', icon: 'live', tone: 'live' },
  open: { word: 'open', icon: 'queued', tone: 'plain' },
  ended: { word: 'ended', icon: 'valid', tone: 'plain' },
};

export function EnsembleStatusWord({ status, isBadge }: WordProps<'live' | 'open' | 'ended'>): ReactNode {
  return <StateWord look={ENSEMBLE[status]} isBadge={isBadge} />;
}

export function RunStatusWord({ status, isBadge }: WordProps<RunStatus>): ReactNode {
  return <StateWord look={RUN[status] ?? newer(status)} isBadge={isBadge} />;
}
