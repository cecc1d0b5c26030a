/** Test of `limits.databaseConnections`: a process opens at most that many connections for its pool. */
import { expect, it } from 'vitest';
import { sql } from 'kysely';
import { describeOnPostgres } from '../../../../test/describe-on-both-stores.ts';
import { openWorker } from './open-worker.ts';

const CONCURRENT = 40;

describeOnPostgres('a pool of 3 connections', ({ freshUrl }) => {
  it('is never larger, however many statements run at once', async () => {
    const databaseUrl = await freshUrl();
    const worker = await openWorker({
      databaseUrl,
      config: { limits: { databaseConnections: 3 }, logLevel: 'silent' },
      models: [],
      environment: {},
      writeLog: () => undefined,
    });
    try {
      const statements = Array.from({ length: CONCURRENT }, () =>
        worker.store.transaction(async ({ db }) => {
          // The sleep makes the statements overlap. Without it, one connection can run all of them.
          const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.02)`.execute(
            db,
          );
          return rows[0]?.pid;
        }),
      );
      const pids = new Set(await Promise.all(statements));
      expect(pids.size).toBeGreaterThan(1);
      expect(pids.size).toBeLessThanOrEqual(3);
    } finally {
      await worker.close();
    }
  });
});
