/** Shared Postgres server: one for all suites of a run, started by the first that needs it. */
import { Client } from 'pg';
import { z } from 'zod';
import { askForOffer, offerToWorkers } from './offers.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_POSTGRES';

/** Offers the server to all workers, and stops it after the last suite. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  let started: Promise<TestPostgres> | undefined;
  const stop = await offerToWorkers(ADDRESS, {
    '/': async () => (await (started = startPostgres())).url('postgres'),
  });
  if (stop === undefined) return undefined;
  return async () => {
    stop();
    await (await started)?.stop();
  };
}

/** Databases of one suite on the shared server. */
export interface TestDatabases {
  /** Creates an empty database and returns its address. */
  create(): Promise<string>;
  /** Removes all of them. */
  drop(): Promise<void>;
}

/** Connects a suite to the shared server. */
export async function openTestDatabases(): Promise<TestDatabases> {
  const answer = z.string().parse(await askForOffer(ADDRESS, '/'));
  const client = new Client({ connectionString: answer, pipeline: true });
  await client.connect();
  const names: string[] = [];
  return {
    create: async () => {
      const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
      await client.query(`create database ${name}`);
      names.push(name);
      return new URL(name, answer).href;
    },
    drop: async () => {
      for (const name of names) await client.query(`drop database ${name} with (force)`);
      await client.end();
    },
  };
}
