import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import { lockName } from '../../packages/store/src/locks.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { postgresIsMissing, startPostgres, type TestPostgres } from '../postgres.ts';
import { describeUnless } from '../needs.ts';

const HOST = new URL('standing-still-host.ts', import.meta.url);
const TIMEOUT_MS = 50_000;

describeUnless(postgresIsMissing, 'a process that stalls during a transaction', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('loses its locks to the others', { timeout: TIMEOUT_MS }, async () => {
    const url = await postgres.createDatabase();
    const store = await openStore({ url });
    const child = spawn(process.execPath, [HOST.pathname, url], { stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const locks = sql<{ count: number }>`select count(*) from pg_locks where locktype = 'advisory'`;
      await vi.waitFor(async () => expect((await locks.execute(store.db)).rows).toEqual([{ count: 1 }]), {
        timeout: TIMEOUT_MS,
      });
      const taken = await store.transaction(async (tx) => {
        await lockName(tx, 'held');
        return 'taken';
      });
      expect(taken).toBe('taken');
    } finally {
      child.kill('SIGKILL');
      await store.close();
    }
  });
});
