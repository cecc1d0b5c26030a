/** Ledger follower: a page of a run's events, and the wait for the next one. */
import type { Store } from '@truecast/store/internal/database/store';
import { watchEvents } from '@truecast/store/internal/watch-events';
import type { EnsembleRunView, LedgerEventView } from '@truecast/client/internal/wire/ensemble';
import { noEnsembleRun } from './store-visitor-message.ts';
import { listLedgerEvents, readEnsembleRun, type LedgerPage } from './read-ledger.ts';

/** A run with a page of its events. */
export interface FollowedRun {
  readonly run: EnsembleRunView;
  readonly events: readonly LedgerEventView[];
  readonly next?: number;
}

/** The page to read, and the maximum wait for it. */
export interface LedgerWait extends LedgerPage {
  /** 0 returns at once. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a page of a run's events. An empty page of an open run is returned after `waitMs`, or when
 * the signal aborts.
 *
 * @throws RequestRefusedError `not-found`
 */
export async function followLedgerEvents(
  store: Store,
  runId: string,
  { waitMs, signal, ...page }: LedgerWait,
): Promise<FollowedRun> {
  const first = await readFollowed(store, runId, page);
  if (waitMs === 0 || isEnough(first)) return first;
  const end = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  let hasRung = false;
  let wake = (): void => undefined;
  const ring = (): void => {
    hasRung = true;
    wake();
  };
  // Watches before it reads, so that an append between a read and the wait is not missed.
  const stop = watchEvents(store, ring);
  end.addEventListener('abort', ring);
  try {
    for (;;) {
      hasRung = false;
      const followed = await readFollowed(store, runId, page);
      if (isEnough(followed) || end.aborted) return followed;
      // The append can have happened during the read.
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
    end.removeEventListener('abort', ring);
  }
}

function isEnough({ run, events }: FollowedRun): boolean {
  return events.length > 0 || run.ended_at !== undefined;
}

async function readFollowed({ db }: Store, runId: string, page: LedgerPage): Promise<FollowedRun> {
  const run = await readEnsembleRun(db, runId);
  if (run === undefined) throw noEnsembleRun();
  const { items: events, next } = await listLedgerEvents(db, run.run_id, page);
  return { run, events, ...(next !== undefined && { next }) };
}
