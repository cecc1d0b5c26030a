/** Readiness check: commits a write, because a database that only answers reads cannot run a turn. */
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Store } from '@truecast/store/internal/database/store';

/**
 * `/readyz` needs no token, so a flood of requests must not cause a flood of writes or log lines.
 */
const FRESH_MS = 1_000;
/** Load balancers wait a few seconds for an answer. */
const TIMEOUT_MS = 3_000;
const ROW_ID = 'readyz';

interface Probe {
  readonly written: Promise<void>;
  /** Undefined while the write is in progress. */
  settledMs: number | undefined;
}

/**
 * Returns a check that resolves if the last write was committed, and rejects if it failed or is still waiting after 3 s.
 *
 * Callers within one second share one write.
 *
 * @param onFault - called once for each write that failed
 */
export function readinessCheck(store: Store, onFault: (error: unknown) => void): () => Promise<void> {
  let probe: Probe | undefined;
  return async () => {
    const isFresh =
      probe !== undefined &&
      (probe.settledMs === undefined || performance.now() - probe.settledMs < FRESH_MS);
    if (probe === undefined || !isFresh) probe = startProbe(store, onFault);
    await withinTimeout(probe.written);
  };
}

function startProbe(store: Store, onFault: (error: unknown) => void): Probe {
  const written = writeRow(store);
  const probe: Probe = { written, settledMs: undefined };
  const settle = (): void => {
    probe.settledMs = performance.now();
  };
  written.then(settle, (error: unknown) => {
    settle();
    onFault(error);
  });
  return probe;
}

async function writeRow({ db }: Store): Promise<void> {
  const written_at = Date.now();
  await db
    .insertInto('readiness_probes')
    .values({ id: ROW_ID, written_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at }))
    .execute();
}

async function withinTimeout(written: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new StoreError(
          `No write was committed within ${TIMEOUT_MS / 1_000} s. Check what locks the database.`,
          {
            code: 'busy',
          },
        ),
      );
    }, TIMEOUT_MS);
  });
  try {
    await Promise.race([written, late]);
  } finally {
    clearTimeout(timer);
  }
}
