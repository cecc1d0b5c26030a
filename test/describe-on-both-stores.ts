/** Declares suites that every store must pass: on a SQLite file, and on a Postgres server. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { openStore } from '../packages/store/src/open-store.ts';
import type { Store, StoreDialect, StoreWarning } from '../packages/store/src/database/store.ts';
import { isolatedFolder } from './isolated-folders.ts';
import { lazy } from './offers.ts';
import { postgresIsMissing } from './postgres.ts';
import { openTestDatabases, type TestDatabases } from './shared-postgres.ts';
import { describeUnless } from './needs.ts';

/** Store access for the tests of a suite. */
export interface StoreFixture {
  readonly dialect: StoreDialect;
  /** Row of the matrix of databases and cases: 0 is SQLite, 1 is Postgres. */
  readonly row: number;
  /** The address of a new database with the tables of a store, and without rows. */
  freshUrl(): Promise<string>;
  /** The address of a new database without tables. */
  emptyUrl(): Promise<string>;
  /** Opens the database at `url`, by default a new one. It is closed after the test. */
  open(url?: string): Promise<Store>;
  /** Warnings of this test's stores. */
  readonly warnings: readonly StoreWarning[];
}

/** A file with the tables of a store. Its copy takes a tenth of the time that they take. */
const preparedFile = lazy(async () => {
  const folder = await mkdtemp(join(isolatedFolder('TRUECAST_TEST_TEMPLATES'), 'store-'));
  const file = join(folder, 'store.sqlite');
  await (await openStore({ url: file })).close();
  return file;
});

/** Creates the file of a store: with its tables, and without rows. */
export async function createPreparedFile(path: string): Promise<void> {
  await copyFile(await preparedFile(), path);
}

/**
 * Declares a suite for each database. If Postgres is missing, its suite is skipped with the reason,
 * but never in CI.
 */
export function describeOnBothStores(title: string, declare: (fixture: StoreFixture) => void): void {
  describeOnSqlite(title, declare);
  describeOnPostgres(title, declare);
}

/** Declares a suite for SQLite only. */
export function describeOnSqlite(title: string, declare: (fixture: StoreFixture) => void): void {
  describe(`${title} on SQLite`, () => {
    let folder = '';
    let files = 0;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'truecast-store-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));
    declare(
      fixtureOf('sqlite', async (kind) => {
        const own = join(folder, `${(files += 1)}`);
        await mkdir(own);
        const file = join(own, 'store.sqlite');
        if (kind === 'prepared') await createPreparedFile(file);
        return file;
      }),
    );
  });
}

/** Declares a suite for Postgres only. */
export function describeOnPostgres(title: string, declare: (fixture: StoreFixture) => void): void {
  describeUnless(postgresIsMissing, `${title} on Postgres`, () => {
    let databases: TestDatabases | undefined;
    beforeAll(async () => {
      databases = await openTestDatabases();
    });
    afterAll(() => databases?.drop());
    declare(fixtureOf('postgres', async (kind) => (await databases?.create(kind)) ?? ''));
  });
}

function fixtureOf(
  dialect: StoreDialect,
  create: (kind: 'prepared' | 'empty') => Promise<string>,
): StoreFixture {
  const freshUrl = (): Promise<string> => create('prepared');
  const opened: Store[] = [];
  const warnings: StoreWarning[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    warnings.length = 0;
  });
  return {
    dialect,
    row: dialect === 'sqlite' ? 0 : 1,
    freshUrl,
    emptyUrl: () => create('empty'),
    warnings,
    open: async (url) => {
      const store = await openStore({
        url: url ?? (await freshUrl()),
        onWarning: (warning) => warnings.push(warning),
      });
      opened.push(store);
      return store;
    },
  };
}
