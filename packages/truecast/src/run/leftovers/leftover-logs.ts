/** Logs and kept runs that are old enough for removal. */
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { listLocks } from '../../git/command/lock.ts';
import { isKeptRunId } from '../record/kept-run.ts';
import { readOpenRun } from '../record/read-kept-runs.ts';
import type { Leftover, LeftoverOptions } from './leftover.ts';

/**
 * Lists logs, evidence and kept runs last written before the age limit. Without a limit, the list is
 * empty.
 */
export async function findLeftoverLogs({
  repository,
  logsOlderThanMs,
}: LeftoverOptions): Promise<Leftover[]> {
  if (logsOlderThanMs === undefined) return [];
  const folder = repositoryStateFolder(repository.commonDir);
  const before = Math.min(Date.now() - logsOlderThanMs, await earliestRun(repository.commonDir));
  const found: Leftover[] = [];
  for (const path of await listFolder(join(folder, 'logs'))) {
    if (!/\.(?:log|json)$/u.test(path)) continue;
    const file = await lstat(path).catch(() => undefined);
    if (file?.isFile() === true && file.mtimeMs < before) found.push({ kind: 'log', name: path });
  }
  for (const path of await listFolder(join(folder, 'runs'))) {
    if (!isKeptRunId(basename(path))) continue;
    const run = await lstat(path).catch(() => undefined);
    if (run?.isDirectory() !== true || run.mtimeMs >= before) continue;
    if ((await readOpenRun(folder, basename(path)))?.isLive !== true) found.push({ kind: 'run', name: path });
  }
  return found;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.toSorted().map((name) => join(folder, name));
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
