/** Writer of kept runs: `runs/<id>/` in the state folder, with the newest runs only. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureStateFolder } from '@truecast/host/internal/state-folder';
import { isKeptRunId, KEPT_FILES, MAX_KEPT_RUNS } from './kept-run.ts';
import type { KeptRun } from './kept-run-record.ts';
import { readOpenRun } from './read-kept-runs.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A record with its transcript. */
export interface KeptRunFiles {
  readonly run: KeptRun;
  readonly transcript: string;
  /** Number of runs that are kept. @default 200 */
  readonly keep?: number;
}

/**
 * Writes a run, and removes the oldest ones. The record is written last, because it marks a run as
 * finished.
 */
export async function writeKeptRun(
  stateFolder: string,
  { run, transcript, keep = MAX_KEPT_RUNS }: KeptRunFiles,
): Promise<void> {
  const runs = ensureStateFolder(stateFolder, 'runs');
  const folder = join(runs, run.id);
  // The journal has created the folder, unless the run ended before its agent started.
  await mkdir(folder, { mode: FOLDER_MODE, recursive: true });
  await writeFile(join(folder, KEPT_FILES.transcript), transcript, { mode: FILE_MODE });
  const record = join(folder, KEPT_FILES.record);
  await writeFile(`${record}.part`, `${JSON.stringify(run)}\n`, { mode: FILE_MODE });
  await rename(`${record}.part`, record);
  await removeOldest(stateFolder, keep);
}

async function removeOldest(stateFolder: string, keep: number): Promise<void> {
  const runs = join(stateFolder, 'runs');
  const ids = (await readdir(runs)).filter(isKeptRunId).toSorted();
  const old = ids.slice(0, Math.max(0, ids.length - keep));
  await Promise.all(
    old.map(async (id) => {
      if ((await readOpenRun(stateFolder, id))?.isLive === true) return;
      await rm(join(runs, id), { recursive: true, force: true });
    }),
  );
}
