/** Owns a run's log file: lines in the order they were told, bounded in memory, whole when closed. */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A log that is being written. */
export interface LogFile {
  readonly path: string;
  /**
   * Adds text, in the order of the calls. Resolves when there is room for more; never rejects.
   * A caller that does not wait loses lines past 64 Mi characters, and the log says how many.
   */
  write(text: string): Promise<void>;
  /** Writes what is left; returns what went wrong, if anything did. May be called twice. */
  close(): Promise<unknown>;
}

/** What `openLogFile` takes. */
export interface OpenLogFileOptions {
  readonly path: string;
  readonly startedAt: Date;
}

/** What a log file is named by. */
export interface LogFileNameOptions {
  readonly branch: string;
  /** The run's name. */
  readonly name?: string | undefined;
  /** Branch that the run's is merged into. */
  readonly target?: string | undefined;
}

/** Above this, a writer that waits is made to wait. */
const HIGH_WATER_CHARS = 1024 * 1024;
/** Above this, lines of a writer that does not wait are dropped. */
const MAX_PENDING_CHARS = 64 * 1024 * 1024;

/** Returns `[<target>-]<branch>[-<name>].log`, safe as a file name. */
export function logFileName({ branch, name, target }: LogFileNameOptions): string {
  const parts = [target, branch, name].filter((part) => part !== undefined && part !== '');
  // Windows refuses these, and a folder named by a branch would hide the log in it; file systems stop at 255 bytes.
  const safe = parts.join('-').replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '-');
  return `${Buffer.from(safe).subarray(0, 200).toString().replaceAll('\uFFFD', '')}.log`;
}

/** Returns the path of a run's log under the folder `.truecast/logs`. */
export function logFilePath(folder: string, options: LogFileNameOptions): string {
  return join(folder, logFileName(options));
}

/** Opens a log for appending, makes its folder, and marks the beginning of a run. */
export async function openLogFile({ path, startedAt }: OpenLogFileOptions): Promise<LogFile> {
  const file = await openInFolder(path);
  const log = startWriting(path, file);
  await log.write(`--- Run started: ${startedAt.toISOString()} ---\n`);
  return log;
}

async function openInFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'a');
  }
}

function startWriting(path: string, file: FileHandle): LogFile {
  let pending: string[] = [];
  let pendingChars = 0;
  let dropped = 0;
  let failure: unknown;
  let pump: Promise<void> | undefined;
  let closing: Promise<unknown> | undefined;

  async function drain(): Promise<void> {
    while (pending.length > 0 && failure === undefined) {
      const text = pending.join('') + (dropped === 0 ? '' : `--- ${dropped} lines dropped ---\n`);
      pending = [];
      pendingChars = 0;
      dropped = 0;
      try {
        await file.appendFile(text);
      } catch (error) {
        // A full disk must not end the run; the log ends here, and `close` says so.
        failure = error;
      }
    }
    pump = undefined;
  }

  return {
    path,
    async write(text): Promise<void> {
      if (closing !== undefined || failure !== undefined || text === '') return;
      if (pendingChars > MAX_PENDING_CHARS) {
        dropped += 1;
        return;
      }
      pending.push(text);
      pendingChars += text.length;
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
