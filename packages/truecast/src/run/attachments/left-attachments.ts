/**
 * Attachments of killed runs: a record outside of the checkout lists each folder, so that the next run
 * removes it.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { isSurelyDead, thisProcess } from '../../process/process-identity.ts';
import { readRegularFile } from '../../support/open-regular-file.ts';

const RECORD = z.object({ owner: processIdentitySchema, worktree: z.string(), name: z.string() });
const MAX_RECORD_BYTES = 64 * 1024;
/** A guest cannot write the record. A damaged one must not name another folder. */
const FOLDER_NAME = /^\.truecast-attachments-[0-9a-f]{8}$/u;

/** Beside the locks, where a sandboxed guest cannot write. */
function recordsFolder(commonDir: string): string {
  return join(commonDir, 'truecast', 'attachments');
}

/** Records a folder before it is made. */
export function recordFolder(
  { path: worktree, commonDir }: { readonly path: string; readonly commonDir: string },
  name: string,
): { forget(): void } {
  const folder = recordsFolder(commonDir);
  const record = join(folder, `${name}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(record, JSON.stringify({ owner: thisProcess(), worktree, name }), { flag: 'wx' });
  return { forget: () => rmSync(record, { force: true }) };
}

/** Removes the folders of killed runs. */
export async function removeLeftAttachments(commonDir: string): Promise<void> {
  const root = recordsFolder(commonDir);
  for (const path of listRecords(root)) {
    const text = await readRegularFile({ root, path, maxBytes: MAX_RECORD_BYTES }).catch(() => undefined);
    const { data } = RECORD.safeParse(jsonValueOf(text?.toString('utf8') ?? ''));
    if (data === undefined || !FOLDER_NAME.test(data.name) || !isSurelyDead(data.owner)) continue;
    await rm(join(data.worktree, data.name), { recursive: true, force: true });
    rmSync(join(root, path), { force: true });
  }
}

function listRecords(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
