/** Shared Postgres server: one for all suites of a run, started by the first that needs it. */
import { Client, Pool } from 'pg';
import { z } from 'zod';
import { openJobQueue } from '../packages/store/src/queue/open-job-queue.ts';
import { openStore } from '../packages/store/src/open-store.ts';
import { askForOffer, offerToWorkers } from './offers.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_POSTGRES';
/** Database with the tables of a store and of its job queue. Its copy takes a seventh of the time that they take. */
const PREPARED = 'prepared';

/** Offers the server to all workers, and stops it after the last suite. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  let started: Promise<TestPostgres> | undefined;
  const stop = await offerToWorkers(ADDRESS, {
    '/': async () => {
      const server = await (started = startPostgres());
      await prepare(server);
      return server.url('postgres');
    },
  });
  if (stop === undefined) return undefined;
  return async () => {
    stop();
    await (await started)?.stop();
  };
}

async function prepare(server: TestPostgres): Promise<void> {
  const url = server.url('postgres');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${PREPARED}`);
  await client.end();
  const store = await openStore({ url: new URL(PREPARED, url).href });
  const queue = await openJobQueue({ store, queues: [] });
  await queue.close();
  await store.close();
}

/** Databases of one suite on the shared server. */
export interface TestDatabases {
  /** Creates a database with the tables of a store, or without any, and returns its address. @default 'empty' */
  create(kind?: 'prepared' | 'empty'): Promise<string>;
  /** Removes all of them. */
  drop(): Promise<void>;
}

interface Administrator {
  readonly client: Pool;
  readonly url: string;
}

let administrator: Promise<Administrator> | undefined;

/** One connection for all suites of a worker: the server starts a process for each. */
async function connect(): Promise<Administrator> {
  const url = z.string().parse(await askForOffer(ADDRESS, '/'));
  const client = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The server stops before the last worker ends.
  client.on('error', () => undefined);
  return { client, url };
}

/** Opens the databases of a suite on the shared server. */
export async function openTestDatabases(): Promise<TestDatabases> {
  const { client, url } = await (administrator ??= connect());
  const names: string[] = [];
  return {
    create: async (kind = 'empty') => {
      const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
      const template = kind === 'prepared' ? PREPARED : 'template1';
      // The other strategy writes each page to the log too.
      await client.query(`create database ${name} template ${template} strategy file_copy`);
      names.push(name);
      return new URL(name, url).href;
    },
    drop: async () => {
      for (const name of names.splice(0)) await client.query(`drop database ${name} with (force)`);
    },
  };
}
