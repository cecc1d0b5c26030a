import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoreError, type StoreErrorCode } from '@truecast/core/internal/errors/store-error';
import { TransactionGuard } from './database/transaction-guard.ts';
import { runTransaction, type TransactionRunner } from './run-transaction.ts';

const pauses: number[] = [];

beforeEach(() => {
  pauses.length = 0;
  vi.spyOn(Math, 'random').mockReturnValue(1);
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
    pauses.push(ms ?? 0);
    return undefined;
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const failure = (code: StoreErrorCode, cause?: unknown): StoreError =>
  new StoreError('Refused.', { code, cause });

/** A database whose commits fail with these errors, one after the other. */
function runnerOf(commits: readonly unknown[] = []): TransactionRunner {
  const left = [...commits];
  const execute = async (run: (db: unknown) => Promise<unknown>): Promise<unknown> => {
    const value = await run({});
    const error = left.shift();
    if (error !== undefined) throw error;
    return value;
  };
  return {
    db: { transaction: () => ({ execute }) },
    database: { dialect: 'postgres', notify: async () => undefined },
    guard: new TransactionGuard(),
    warn: () => undefined,
  } as unknown as TransactionRunner;
}

/** Work that fails with the errors, one after the other, and then has a value. */
function workOf(errors: readonly unknown[]): {
  readonly work: () => Promise<string>;
  readonly tries: () => number;
} {
  let tries = 0;
  return {
    tries: () => tries,
    work: async () => {
      tries += 1;
      const error = errors[tries - 1];
      if (error !== undefined) throw error;
      return 'done';
    },
  };
}

const sqlite = Object.assign(new Error('database is locked'), { errcode: 5 });

it.each<[string, unknown]>([
  ['a conflict on Postgres', failure('busy', new Error('deadlock'))],
  ['a conflict without a cause', failure('busy')],
  ['a conflict whose cause is no error', failure('busy', { errcode: 5 })],
  ['a lost connection', failure('connection-lost')],
])('work is tried again after %s', async (_, error) => {
  const { work, tries } = workOf([error, error]);
  await expect(runTransaction(runnerOf(), work)).resolves.toBe('done');
  expect(tries()).toBe(3);
});

it.each<[string, unknown]>([
  ['a busy file of SQLite, whose statements have waited', failure('busy', sqlite)],
  ['another error of the store', failure('constraint')],
  ['an error of the caller', new Error('no')],
])('work is not tried again after %s', async (_, error) => {
  const { work, tries } = workOf([error]);
  await expect(runTransaction(runnerOf(), work)).rejects.toBe(error);
  expect(tries()).toBe(1);
});

it('pauses double from 10 ms, and are at most a second', async () => {
  const { work } = workOf(Array.from({ length: 9 }, () => failure('busy')));
  await runTransaction(runnerOf(), work);
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
});

it('a commit whose answer was lost is unknown, and is not repeated', async () => {
  const { work, tries } = workOf([]);
  const running = runTransaction(runnerOf([failure('connection-lost')]), work);
  await expect(running).rejects.toMatchObject({ code: 'commit-unknown' });
  expect(tries()).toBe(1);
});

it.each<StoreErrorCode>(['write-failed', 'constraint'])(
  'a commit that fails with %s keeps the error',
  async (code) => {
    const error = failure(code);
    await expect(runTransaction(runnerOf([error]), workOf([]).work)).rejects.toBe(error);
  },
);

it('a commit that conflicts is repeated with its work', async () => {
  const { work, tries } = workOf([]);
  await expect(runTransaction(runnerOf([failure('busy')]), work)).resolves.toBe('done');
  expect(tries()).toBe(2);
});
