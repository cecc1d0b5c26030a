/** Words and signs of states. */
import type { ReactNode } from 'react';
import type { ChatStatus, Receipt } from '@truecast/client';
import type { KeptRunView } from '@truecast/client/internal/wire/run';

interface Look {
  readonly word: string;
  readonly look: string;
}

/** A state of a newer server, by its name. */
function newer(status: string): Look {
  return { word: status.replaceAll('_', ' '), look: 'text-muted' };
}

const CHAT: Readonly<Record<ChatStatus, Look>> = {
  waiting: { word: 'idle', look: 'text-muted' },
  running: { word: '● running', look: 'text-accent' },
  interrupting: { word: '● stopping', look: 'text-accent' },
  requires_action: { word: '▲ waits for you', look: 'text-warn' },
  error: { word: '× error', look: 'text-bad' },
};

export function ChatStatusWord({ status }: { readonly status: ChatStatus }): ReactNode {
  const { word, look } = CHAT[status] ?? newer(status);
  return <span className={`text-sm font-medium whitespace-nowrap ${look}`}>{word}</span>;
}

const REQUEST: Readonly<Record<Receipt['status'], Look>> = {
  queued: { word: 'queued', look: 'text-muted' },
  running: { word: '● running', look: 'text-accent' },
  succeeded: { word: '✓ valid', look: 'text-ok' },
  failed: { word: '× failed', look: 'text-bad' },
  canceled: { word: 'canceled', look: 'text-muted' },
};

export function RequestStatusWord({ status }: { readonly status: Receipt['status'] }): ReactNode {
  const { word, look } = REQUEST[status] ?? newer(status);
  return <span className={`text-sm font-medium whitespace-nowrap ${look}`}>{word}</span>;
}

type RunStatus = KeptRunView['status'];
const RUN: Readonly<Record<RunStatus, Look>> = {
  live: { word: '● live', look: 'text-accent' },
  interrupted: { word: '▲ interrupted', look: 'text-warn' },
  valid: { word: '✓ valid', look: 'text-ok' },
  failed: { word: '× failed', look: 'text-bad' },
  done: { word: 'done', look: 'text-muted' },
};

export function RunStatusWord({ status }: { readonly status: RunStatus }): ReactNode {
  const { word, look } = RUN[status] ?? newer(status);
  return <span className={`text-sm font-medium whitespace-nowrap ${look}`}>{word}</span>;
}
