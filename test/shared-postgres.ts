/** Shared Postgres server: one for all suites of a run, started by the first that needs it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client } from 'pg';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_POSTGRES';

/** Offers the server to all workers, and stops it after the last suite. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Each project of a run calls this. One server is enough.
  if (process.env[ADDRESS] !== undefined) return undefined;
  let started: Promise<TestPostgres> | undefined;
  const offer = createServer((_request, response) => {
    started ??= startPostgres();
    started.then(
      (postgres) => response.end(postgres.url('postgres')),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(offer.listen(0, '127.0.0.1'), 'listening');
  const address = offer.address();
  if (typeof address === 'object') process.env[ADDRESS] = `http://127.0.0.1:${address?.port}`;
  return async () => {
    offer.close();
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
  const response = await fetch(process.env[ADDRESS] ?? '');
  const answer = await response.text();
  if (!response.ok) throw new TypeError(answer);
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
