/** Receiver of LFS objects: content that a guest added, read through the sandbox and checked against its SHA-256 name. */
import { existsSync } from 'node:fs';
import { mkdir, rm, copyFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { GuestStore } from '../store/guest-store.ts';
import { type OpenGuestStream, readGuestStream, type StreamLimits } from './read-stream.ts';
import { LfsSink, type LfsLimits } from './lfs-sink.ts';

/** Maximum number of names in one script. Linux limits a program argument to 128 KiB. */
const BATCH = 1_000;

/**
 * Copies the objects that the host does not have. An existing object is never replaced.
 *
 * @throws SandboxError `sync` for content that does not match its name, is missing, or exceeds a
 *   limit; the signal's reason
 */
export async function receiveLfs(
  store: GuestStore,
  ids: readonly string[],
  openStream: OpenGuestStream,
  limits: LfsLimits & StreamLimits,
): Promise<void> {
  const missing = ids.filter((id) => !store.objectFolders.some((folder) => existsSync(placeOf(folder, id))));
  if (missing.length === 0) return;
  const incoming = join(store.folder, 'incoming-lfs');
  let maxLfsBytes = limits.maxLfsBytes;
  for (let from = 0; from < missing.length; from += BATCH) {
    const batch = missing.slice(from, from + BATCH);
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming);
    const sink = new LfsSink(incoming, batch, { maxLfsBytes });
    try {
      maxLfsBytes -= await readGuestStream(await openStream(lfsScript(store, batch)), sink, limits);
    } finally {
      await sink.close();
    }
    for (const id of batch) {
      const place = placeOf(join(store.commonDir, 'objects'), id);
      await mkdir(dirname(place), { recursive: true });
      await moveFile(join(incoming, id), place);
    }
  }
  await rm(incoming, { recursive: true, force: true });
}

/** Returns the path of an LFS object in the `lfs` folder next to an object folder. */
function placeOf(objectFolder: string, id: string): string {
  return join(dirname(objectFolder), 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id);
}

/** Prints the size of each object on its own line, then that many bytes. A pipe or a missing file has no bytes. */
function lfsScript({ gitDir }: GuestStore, ids: readonly string[]): string {
  return `D=${quoteArgument(join(gitDir, 'lfs', 'objects'))}
for id in ${ids.join(' ')}; do
  f="$D/$(printf %.2s "$id")/$(printf %.4s "$id" | tail -c 2)/$id"
  if [ -f "$f" ]; then s=$(($(wc -c < "$f"))); echo "$s"; head -c "$s" "$f"; else echo 0; fi
done`;
}

/**
 * Renames the file. If the target is on another file system, copies it to a temporary name first.
 */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    const draft = `${to}.truecast-draft`;
    await copyFile(from, draft);
    await rename(draft, to);
    await unlink(from);
  }
}
