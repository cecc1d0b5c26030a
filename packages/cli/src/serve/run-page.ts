/** Address of a run's page in the console of the server that runs for this folder. */
import { proxiedFetch } from '@truecast/host/internal/proxy/proxied-fetch';
import { findStateFolder } from '@truecast/host/internal/state-folder';
import { listKeptRunIds, readKeptRun } from 'truecast/internal/run/record/read-kept-runs';
import { readServerNote } from './server-file.ts';

/** A server on a busy machine answers in this time. A dead one refuses at once. */
const PROBE_TIMEOUT_MS = 3_000;
/** The run has just ended, so it is among the newest ones. */
const NEWEST = 10;

/** Returns the address. Undefined without a server, and for a run of another repository. */
export async function findRunPage(
  cwd: string,
  isWanted: (run: { readonly branch?: string | undefined }) => boolean,
): Promise<string | undefined> {
  const folder = findStateFolder(cwd);
  if (folder === undefined || folder !== findStateFolder(process.cwd())) return undefined;
  const note = await readServerNote();
  if (note === undefined || !(await isServing(note.url))) return undefined;
  for (const id of (await listKeptRunIds(folder)).slice(0, NEWEST)) {
    const run = await readKeptRun(folder, id);
    if (run !== undefined && isWanted(run)) return `${note.url}/runs/${id}`;
  }
  return undefined;
}

async function isServing(url: string): Promise<boolean> {
  try {
    const answer = await proxiedFetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
