import { spawn } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import { lockName } from '../../packages/store/src/locks.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';

const HOST = await bundledHost(new URL('standing-still-host.ts', import.meta.url));
const TIMEOUT_MS = 50_000;

describeOnPostgres('a process that stalls during a transaction', ({ freshUrl }) => {
  it('loses its locks to the others', { timeout: TIMEOUT_MS }, async () => {
    const url = await freshUrl();
    const store = await openStore({ url });
    const child = spawn(process.execPath, [HOST, url], { stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const locks = sql<{
        count: number;
      }>`select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
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
