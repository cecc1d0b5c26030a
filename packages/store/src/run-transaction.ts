/** Transaction lifecycle: work, commit, effects after the commit, and retries after a conflict. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbortedTransactionError, type Kysely } from 'kysely';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { abortedError, unknownCommitError } from './database/own-errors.ts';
import type { Database } from './database/database.ts';
import type { StoreTransaction, StoreWarning } from './database/store.ts';
import type { Tables } from './tables/tables.ts';
import type { TransactionGuard } from './database/transaction-guard.ts';

/** Total time for retries after conflicts. */
const MAX_CONFLICT_MS = 10_000;
/** Total time for retries after a lost connection: a crashed server takes some time to recover. */
const MAX_AWAY_MS = 30_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

export interface TransactionRunner {
  readonly db: Kysely<Tables>;
  readonly database: Database;
  readonly guard: TransactionGuard;
  readonly warn: (warning: StoreWarning) => void;
}

type Phase = 'work' | 'failed' | 'commit';

type Work<T> = (tx: StoreTransaction) => Promise<T>;

/** Runs `work` in a transaction. See `Store.transaction`. */
export async function runTransaction<T>(runner: TransactionRunner, work: Work<T>): Promise<T> {
  const startedMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await tryTransaction(runner, work);
    } catch (error) {
      if (performance.now() - startedMs > retryTimeMs(error)) throw error;
      // Jitter, so that colliding transactions do not retry at the same time.
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}

/**
 * Retry time for a failure. SQLite waits within its statements, and a commit with unknown outcome
 * is never retried.
 */
function retryTimeMs(error: unknown): number {
  if (!StoreError.isInstance(error)) return -1;
  if (error.code === 'connection-lost') return MAX_AWAY_MS;
  return error.code === 'busy' && !isSqlite(error) ? MAX_CONFLICT_MS : -1;
}

function isSqlite(error: StoreError): boolean {
  return error.cause instanceof Error && 'errcode' in error.cause;
}

async function tryTransaction<T>(
  { db, database, guard, warn }: TransactionRunner,
  work: Work<T>,
): Promise<T> {
  const effects: (() => void)[] = [];
  const state: { phase: Phase; failure?: unknown } = { phase: 'work' };
  let value: T;
  try {
    value = await db.transaction().execute(async (transaction) => {
      const begun = {
        dialect: database.dialect,
        db: transaction,
        afterCommit: (effect: () => void) => void effects.push(effect),
      };
      const tx: StoreTransaction = {
        ...begun,
        notify: (channel, payload) => database.notify(begun, channel, payload),
      };
      try {
        const result = await guard.within(() => work(tx));
        state.phase = 'commit';
        return result;
      } catch (error) {
        state.failure = error;
        state.phase = 'failed';
        throw error;
      }
    });
  } catch (error) {
    // A rollback on a lost connection fails too, and would hide the cause.
    throw state.phase === 'failed' ? state.failure : explain(error, state.phase);
  }
  guard.outside(() => runEffects(effects, warn));
  return value;
}

function explain(error: unknown, phase: Phase): unknown {
  if (isAbortedTransactionError(error)) return abortedError(error);
  if (phase !== 'commit' || !StoreError.isInstance(error) || error.code !== 'connection-lost') return error;
  return unknownCommitError('The connection was lost', error);
}

function runEffects(effects: readonly (() => void)[], warn: (warning: StoreWarning) => void): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (cause) {
      warn({ message: 'A callback after a commit threw an error', cause });
    }
  }
}
