/**
 * Inbox of a run: messages of other processes. Only the process that plays a run appends to it, so
 * a message waits in a stream beside it until that process injects it.
 */
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { VISITOR } from '../ledger/event-kinds.ts';
import { textOf } from '../ledger/fold.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { Ensemble } from './ensemble.ts';

export interface VisitorMessage {
  readonly text: string;
  readonly label?: string;
}

/** Stores a message for the process that plays the run. */
export async function leaveMessage(
  ledger: Ledger,
  runId: string,
  { text, label }: VisitorMessage,
): Promise<LedgerEvent> {
  const payload = { text, ...(label !== undefined && { label }) };
  return await ledger.as(VISITOR).append({ runId: inboxOf(runId), turn: 0, kind: 'user.injected', payload });
}

/** Injects each message once, even after a resume, until the signal aborts or the run has ended. */
export async function followInbox(ensemble: Ensemble, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const { runId } = ensemble;
  const injected = new Set<string | undefined>();
  for await (const { kind, causedBy } of ledger.read(runId)) {
    if (kind === 'user.injected') injected.add(causedBy);
  }
  for await (const { id, payload } of ledger.tail(0, { runId: inboxOf(runId), signal })) {
    if (injected.has(id)) continue;
    const label = textOf(payload, 'label');
    try {
      await ensemble.inject(textOf(payload, 'text') ?? '', {
        causedBy: id,
        ...(label !== undefined && { label }),
      });
    } catch (error) {
      if (LedgerError.isInstance(error) && error.code === 'run-finished') return;
      throw error;
    }
  }
}

/** A stream without `run.started`, so it is not listed as a run. */
function inboxOf(runId: string): string {
  return `${runId}/inbox`;
}
