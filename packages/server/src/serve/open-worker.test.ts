import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import { listAudit } from '../owners/audit-list.ts';
import { writeAudit } from '../state/rows/audit-log.ts';
import { openWorker } from './open-worker.ts';

const DAY_MS = 86_400_000;

it('deletes old data after the days of the command line, not those of the configuration', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-worker-'));
  const databaseUrl = join(folder, 'store.sqlite');
  const store = await openStore({ url: databaseUrl });
  const entry = { action: 'owner_erased', actor: 'test', owner: 'anna' } as const;
  await writeAudit(store.db, entry, Date.now() - 3 * DAY_MS);
  await store.close();
  const worker = await openWorker({
    databaseUrl,
    config: { auditRetentionDays: 1_000, logLevel: 'silent' },
    auditRetentionDays: 1,
    models: [],
    environment: {},
    writeLog: () => undefined,
  });
  try {
    const actions = async (): Promise<readonly string[]> =>
      (await listAudit(worker.store.db, { owner: 'anna', limit: 9 })).map(({ action }) => action);
    await expect.poll(actions, { timeout: 20_000 }).toEqual([]);
  } finally {
    await worker.close();
    await rm(folder, { recursive: true });
  }
});
