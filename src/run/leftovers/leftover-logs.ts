/** Owns the logs that are old enough to go. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listLocks } from '../git/lock.ts';
import { truecastFolder } from '../git/truecast-folder.ts';
import type { Leftover, LeftoverOptions } from './leftover.ts';

/** Lists logs and evidence that were last written before the bound; none without one. */
export async function findLeftoverLogs({
  repository,
  logsOlderThanMs,
}: LeftoverOptions): Promise<Leftover[]> {
  if (logsOlderThanMs === undefined) return [];
  const folder = join(truecastFolder(repository.mainTopLevel), 'logs');
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

/** A run that is alive may have its log open, however old the bound: nothing that was written since it began goes. */
async function earliestRun(commonDir: string): Promise<number> {
  const starts = (await listLocks(commonDir)).map(({ holder }) =>
    holder === undefined ? Number.POSITIVE_INFINITY : Date.parse(holder.startedAt),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}
