/**
 * Readiness check: commits a write, because a database that only answers reads cannot run a turn. The
 * row of the check is small, so the disk must also have room for messages.
 */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from '@truecast/store/internal/database/sql';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Store } from '@truecast/store/internal/database/store';

/**
 * `/readyz` needs no token, so a flood of requests must not cause a flood of writes or log lines.
 */
const FRESH_MS = 1_000;
/** Load balancers wait a few seconds for an answer. */
const TIMEOUT_MS = 3_000;
const ROW_ID = 'readyz';
/** Room for a few messages at the limit of a body, in the WAL and then in the file. */
const MIN_FREE_BYTES: number = 8 * 1024 * 1024;

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

async function writeRow(store: Store): Promise<void> {
  const { db } = store;
  const written_at = Date.now();
  await db
    .insertInto('readiness_probes')
    .values({ id: ROW_ID, written_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at }))
    .execute();
  if (store.dialect === 'sqlite') await assertSpace(store);
}

/** The disk of Postgres cannot be seen from here. */
async function assertSpace({ db }: Store): Promise<void> {
  const { rows } = await sql<{ readonly file: string }>`pragma database_list`.execute(db);
  const file = rows[0]?.file ?? '';
  // A memory database has no file.
  if (file === '') return;
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw new StoreError(
    `The disk of the database has ${bavail * bsize} bytes left, and messages need ${MIN_FREE_BYTES}. Free some space.`,
    { code: 'write-failed' },
  );
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
