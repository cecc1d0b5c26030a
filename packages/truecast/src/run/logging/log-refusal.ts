/** Log of a refused run: where the caller named a log file, the reason is in it. */
import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { escapeControls } from '../../support/terminal-text.ts';
import { openLogFile } from './log-file.ts';

/** A refusal is one line. */
const MAX_BYTES = 64 * 1024;

/**
 * Adds the reason to the log that the options name, if they name one. Never fails: the reason is
 * more important than its log.
 *
 * @param options - as given by the caller, possibly invalid
 */
export async function logRefusal(
  { logging, cwd }: { readonly logging?: unknown; readonly cwd?: unknown },
  error: unknown,
  mask: SecretMask,
): Promise<void> {
  const path = namedPath(logging);
  if (path === undefined || isInMissing(path, cwd)) return;
  const reason = error instanceof Error ? error.message : String(error);
  try {
    const file = await openLogFile({ path, startedAt: new Date(), maxBytes: MAX_BYTES });
    void file.write(`${escapeControls(mask.mask(`Run refused: ${reason}`))}\n`);
    await file.close();
  } catch {
    // The caller gets the reason anyway.
  }
}

/** A log would create the folder whose absence is the reason. */
function isInMissing(path: string, cwd: unknown): boolean {
  return typeof cwd === 'string' && !existsSync(cwd) && resolve(path).startsWith(resolve(cwd) + sep);
}

function namedPath(logging: unknown): string | undefined {
  if (typeof logging !== 'object' || logging === null) return undefined;
  if (!('type' in logging) || logging.type !== 'file' || !('path' in logging)) return undefined;
  return typeof logging.path === 'string' && logging.path !== '' ? logging.path : undefined;
}
