/**
 * Log file of a run: lines in call order, with bounded memory, complete after closing.
 *
 * An agent can print faster than the loop of this process writes in the background. So a regular file
 * gets each megabyte at once, which slows the agent down instead of filling memory. A pipe or a device
 * can have a slow reader, even in this process: it is written in the background.
 */
import { appendFileSync, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { escapeControls } from '../../support/terminal-text.ts';

export interface LogFile {
  readonly path: string;
  /**
   * Appends text, in call order. Resolves if there is room for more, and never rejects. For a pipe or
   * a device, a caller that does not wait loses lines past 64 Mi characters, and the log notes how many.
   */
  write(text: string): Promise<void>;
  /** Writes the remaining text. Returns the error of an earlier write, if any. Idempotent. */
  close(): Promise<unknown>;
}

interface OpenLogFileOptions {
  readonly path: string;
  readonly startedAt: Date;
  /** Maximum number of bytes that this run adds. One more line notes that the rest was omitted. */
  readonly maxBytes: number;
}

interface LogFileNameOptions {
  readonly branch: string;
  readonly name?: string | undefined;
  /** Target branch of the run's merge. */
  readonly target?: string | undefined;
}

/** Above this size, `write` applies backpressure. */
const HIGH_WATER_CHARS = 1024 * 1024;
/** Above this size, lines are dropped if the writer does not wait. */
const MAX_PENDING_CHARS = 64 * 1024 * 1024;

/** Returns `[<target>-]<branch>[-<name>].log`, safe as a file name. */
export function logFileName({ branch, name, target }: LogFileNameOptions): string {
  const parts = [target, branch, name].filter((part) => part !== undefined && part !== '');
  // Windows rejects these characters. A slash in a branch name would create a subfolder. File
  // systems limit names to 255 bytes.
  const safe = parts.join('-').replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '-');
  return `${Buffer.from(safe).subarray(0, 200).toString().replaceAll('\uFFFD', '')}.log`;
}

export function logFilePath(folder: string, options: LogFileNameOptions): string {
  return join(folder, logFileName(options));
}

/** Opens a log for appending, creates its folder, and marks the start of a run. */
export async function openLogFile({ path, startedAt, maxBytes }: OpenLogFileOptions): Promise<LogFile> {
  const file = await openChosenFile(path, 'append');
  const isRegular = (await file.stat()).isFile();
  const log = startWriting(path, file, { maxBytes, isRegular });
  await log.write(`--- Run started: ${startedAt.toISOString()} ---\n`);
  return log;
}

function startWriting(
  path: string,
  file: FileHandle,
  { maxBytes, isRegular }: { readonly maxBytes: number; readonly isRegular: boolean },
): LogFile {
  let bytesLeft = maxBytes;
  let pending: string[] = [];
  let pendingChars = 0;
  let dropped = 0;
  let failure: unknown;
  let pump: Promise<void> | undefined;
  let closing: Promise<unknown> | undefined;

  function take(): string {
    const text = pending.join('') + (dropped === 0 ? '' : `--- ${dropped} lines dropped ---\n`);
    pending = [];
    pendingChars = 0;
    dropped = 0;
    return text;
  }
  function writeNow(): void {
    try {
      appendFileSync(file.fd, take());
    } catch (error) {
      // A full disk must not fail the run. The log ends here, and `close` reports the error.
      failure = error;
    }
  }
  async function drain(): Promise<void> {
    // The lines of one turn of the loop are one write.
    if (isRegular) await setImmediate();
    while (pending.length > 0 && failure === undefined) {
      if (isRegular) writeNow();
      else await file.appendFile(take()).catch((error: unknown) => (failure = error));
    }
    pump = undefined;
  }

  return {
    path,
    async write(text): Promise<void> {
      if (closing !== undefined || failure !== undefined || text === '' || bytesLeft < 0) return;
      bytesLeft -= Buffer.byteLength(text);
      if (bytesLeft >= 0 && pendingChars > MAX_PENDING_CHARS) {
        dropped += 1;
        return;
      }
      const line = bytesLeft < 0 ? omission(maxBytes) : text;
      pending.push(line);
      pendingChars += line.length;
      if (isRegular && pendingChars > HIGH_WATER_CHARS) writeNow();
      pump ??= drain();
      if (pendingChars > HIGH_WATER_CHARS) await pump;
    },
    close(): Promise<unknown> {
      closing ??= (async () => {
        await pump;
        await file.close();
        return failure;
      })();
      return closing;
    },
  };
}

function omission(maxBytes: number): string {
  return `\n--- The log reached its limit of ${maxBytes} bytes; the rest is omitted ---\n`;
}

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
