/** Lock file: reads its holder, and checks whether the holder still runs. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync } from 'node:fs';
import { z } from 'zod';
import { isSurelyDead, type ProcessIdentity } from '../../process/process-identity.ts';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { hasCode } from '../../support/storage-error.ts';

const MAX_LOCK_BYTES = 64 * 1024;

export interface LockHolder extends ProcessIdentity {
  /** Unique for each acquisition of the lock. */
  readonly nonce: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly command: string;
}

const HOLDER: z.ZodType<LockHolder> = z.intersection(
  processIdentitySchema,
  z.object({ nonce: z.string(), startedAt: z.string(), command: z.string() }),
);

/** Content of a lock file. */
export interface Held {
  readonly nonce: string;
  /** Undefined for an incomplete file. A crash of the machine can leave one. */
  readonly holder: LockHolder | undefined;
}

/** Reads a lock file. Undefined if the file is missing. */
export function readHolder(path: string): Held | undefined {
  let text: string;
  try {
    // An unreadable lock of another user must not count as one without a holder.
    if (lstatSync(path).isFile()) accessSync(path, constants.R_OK);
    text = readRegularFileSync(path, { maxBytes: MAX_LOCK_BYTES })?.toString('utf8') ?? '';
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const holder = HOLDER.safeParse(jsonValueOf(text)).data;
  if (holder !== undefined) return { nonce: holder.nonce, holder };
  return { nonce: createHash('sha256').update(text).digest('hex').slice(0, 12), holder: undefined };
}

/** Returns the holder if it still runs. */
export function liveHolder({ holder }: Held): LockHolder | undefined {
  return holder === undefined || isSurelyDead(holder) ? undefined : holder;
}
