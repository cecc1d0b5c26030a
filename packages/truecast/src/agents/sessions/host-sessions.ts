/** File lookup in the host's session stores. */
import { stat } from 'node:fs/promises';

/** Returns the file modified last, or undefined if none exists. */
export async function newestFile(paths: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(paths.map(async (path) => ({ path, changedAtMs: await changedAt(path) })));
  const [newest] = found
    .filter((file) => file.changedAtMs !== undefined)
    .toSorted((left, right) => (right.changedAtMs ?? 0) - (left.changedAtMs ?? 0));
  return newest?.path;
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    const { mtimeMs, isFile } = await stat(path).then((stats) => ({
      mtimeMs: stats.mtimeMs,
      isFile: stats.isFile(),
    }));
    return isFile ? mtimeMs : undefined;
  } catch {
    return undefined;
  }
}
