/**
 * Pending landings of a batch: results of items whose branch is about to be merged. After a kill, the next
 * start lands them without another run.
 *
 * run ends → record → landing → line of the result → removal
 */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import type { BatchItem, BatchSuccess } from './batch-queue.ts';

/** A result, and the commit that its landing merges. */
export interface PendingLanding {
  readonly result: BatchSuccess;
  /** Tip of the branch when the run ended. */
  readonly tip: string;
}

/** Records of one results file. */
export interface PendingLandings {
  /** Undefined if there is none, or if it cannot be read. The item then runs again. */
  read(item: BatchItem): PendingLanding | undefined;
  write(item: BatchItem, landing: PendingLanding): void;
  remove(item: BatchItem): void;
}

const RECORD = z.object({
  key: z.string(),
  tip: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u),
  result: z.looseObject({ key: z.string(), status: z.literal('ok'), branch: z.string() }),
});
/** An answer is at most a part of a transcript, whose limit is lower. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * Opens the records, beside the locks, where a sandboxed guest cannot write.
 *
 * @param scope results file, so that a batch with another one runs its items itself
 */
export function openPendingLandings(commonDir: string, scope: string): PendingLandings {
  const folder = join(commonDir, 'truecast', 'landings');
  const fileOf = ({ key }: BatchItem): string =>
    join(folder, `${createHash('sha256').update(`${scope}\0${key}`).digest('hex')}.json`);
  return {
    read(item) {
      try {
        const text = readRegularFileSync(fileOf(item), { maxBytes: MAX_RECORD_BYTES })?.toString('utf8');
        if (text === undefined) return undefined;
        const { data } = RECORD.safeParse(jsonValueOf(text));
        if (data?.key !== item.key) return undefined;
        // Written by this module from a result of this type.
        return { tip: data.tip, result: data.result as unknown as BatchSuccess };
      } catch {
        return undefined;
      }
    },
    write(item, { tip, result }) {
      mkdirSync(folder, { recursive: true });
      const file = fileOf(item);
      writeFileSync(`${file}.draft`, JSON.stringify({ key: item.key, tip, result }), { mode: 0o600 });
      // Renamed into place, so that no process reads a part of it.
      renameSync(`${file}.draft`, file);
    },
    remove(item) {
      rmSync(fileOf(item), { force: true });
    },
  };
}
