/** Logs that are old enough for removal. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { listLocks } from '../../git/command/lock.ts';
import type { Leftover, LeftoverOptions } from './leftover.ts';

/**
 * Lists logs and evidence last written before the age limit. Without a limit, the list is empty.
 */
export async function findLeftoverLogs({
  repository,
  logsOlderThanMs,
}: LeftoverOptions): Promise<Leftover[]> {
  if (logsOlderThanMs === undefined) return [];
  const folder = join(repositoryStateFolder(repository.commonDir), 'logs');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(?:log|json)$/u.test(name));
  const before = Math.min(Date.now() - logsOlderThanMs, await earliestRun(repository.commonDir));
  const found: Leftover[] = [];
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile() === true && file.mtimeMs < before) found.push({ kind: 'log', name: path });
  }
  return found;
}

/**
 * Returns the start of the earliest live run. Its log can still be open, so newer files stay
 * whatever the age limit.
 */
async function earliestRun(commonDir: string): Promise<number> {
  const starts = (await listLocks(commonDir)).map(({ holder }) =>
    holder === undefined ? Number.POSITIVE_INFINITY : Date.parse(holder.startedAt),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}
