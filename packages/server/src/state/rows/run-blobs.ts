/**
 * Blobs of agent runs: the agent's session and the artifacts, in parts. These four calls are the only ones that
 * know where the bytes are.
 */
import { sql } from '@truecast/store/internal/database/sql';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import { write } from '@truecast/store/internal/write';
import type { RunBlob, RunBlobInfo } from '../../runs/run-blob.ts';
import type { StateDb } from './machine-context.ts';

const PART_BYTES: number = 1024 * 1024;

/** Stores a blob, instead of the one with its name. The caller has locked the row of the run. */
export async function putBlob(tx: StoreTransaction, runId: string, blob: RunBlob): Promise<void> {
  const { name, bytes, mediaType, source, omittedBytes = 0 } = blob;
  await write(tx, tx.db.deleteFrom('agent_run_blobs').where('run_id', '=', runId).where('name', '=', name));
  // An empty one has a part too.
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  for (let part = 0; part < parts; part += 1) {
    const row = {
      run_id: runId,
      name,
      part,
      media_type: mediaType,
      source: source ?? null,
      omitted: omittedBytes,
      bytes: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    };
    await write(tx, tx.db.insertInto('agent_run_blobs').values(row));
  }
}

/** Reads a blob. Undefined without one. */
export async function getBlob(db: StateDb, runId: string, name: string): Promise<RunBlob | undefined> {
  const rows = await db
    .selectFrom('agent_run_blobs')
    .select(['media_type', 'source', 'omitted', 'bytes'])
    .where('run_id', '=', runId)
    .where('name', '=', name)
    .orderBy('part')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const { media_type: mediaType, source, omitted: omittedBytes } = first;
  return {
    name,
    mediaType,
    bytes: Buffer.concat(rows.map(({ bytes }) => bytes)),
    ...(source !== null && { source }),
    ...(omittedBytes > 0 && { omittedBytes }),
  };
}

/** Lists the blobs of a run by name. */
export async function listBlobs(db: StateDb, runId: string): Promise<readonly RunBlobInfo[]> {
  const rows = await db
    .selectFrom('agent_run_blobs')
    .select(['name', 'media_type', 'omitted', sql<number>`sum(length(bytes))`.as('size')])
    .where('run_id', '=', runId)
    .groupBy(['name', 'media_type', 'omitted'])
    .orderBy('name')
    .execute();
  return rows.map(({ name, media_type: mediaType, size, omitted }) => ({
    name,
    mediaType,
    size,
    omittedBytes: omitted,
  }));
}

/** Deletes all blobs of some runs. The caller has locked their rows. */
export async function removeBlobs({ db }: StoreTransaction, runIds: readonly string[]): Promise<void> {
  await db.deleteFrom('agent_run_blobs').where('run_id', 'in', runIds).execute();
}
