/**
 * Stream of a script that runs inside a sandbox, limited by a timeout and by the run's signal: the
 * only way in which the host receives anything from a guest's store.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { Readable } from 'node:stream';

/** A running script. Its stdout is read by the caller, at the caller's pace. */
export interface GuestStream {
  readonly stdout: Readable;
  /** Resolves when the script has ended. Never rejects. */
  readonly ended: Promise<GuestStreamEnd>;
  /**
   * True if the sandbox waits for the script's end when it is closed. A complete stream is then used
   * while the script's processes exit. @default false
   */
  readonly isEndedAtClose?: boolean;
  /** Kills the script and all its child processes. */
  kill(): void;
}

/** Result of a script. */
interface GuestStreamEnd {
  readonly exitCode: number;
  /** The last 2,000 characters. */
  readonly stderrTail: string;
}

/** Starts a shell script inside, without network or agent. */
export type OpenGuestStream = (script: string) => Promise<GuestStream>;

export interface StreamLimits {
  /** Timeout of the whole stream. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Accepts the bytes of one stream. */
export interface ByteSink<T> {
  /** Resolves when the next chunk can come. */
  push(chunk: Buffer): Promise<void>;
  /** Returns the result of a complete stream. Undefined for an incomplete stream. */
  end(): Promise<T | undefined>;
}

/**
 * Reads a stream to its end, and kills its script on every path. After a complete stream, the
 * sandbox can end the script instead.
 *
 * @throws SandboxError `sync` for a stream that the sink rejects, that is truncated, or that takes
 *   too long; the signal's reason
 */
export async function readGuestStream<T>(
  stream: GuestStream,
  sink: ByteSink<T>,
  limits: StreamLimits,
): Promise<T> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([limits.signal, timeout]);
  const stop = (): void => {
    stream.kill();
    stream.stdout.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  let isComplete = false;
  try {
    for await (const chunk of stream.stdout) await sink.push(chunk as Buffer);
    if (stream.isEndedAtClose !== true) await stream.ended;
    limits.signal?.throwIfAborted();
    if (timeout.aborted) throw refusedStream(`it did not end within ${limits.timeoutMs} ms`);
    const result = await sink.end();
    isComplete = result !== undefined;
    if (result !== undefined) return result;
    const { exitCode, stderrTail } = await stream.ended;
    throw refusedStream(`its script failed with exit code ${exitCode}`, { stderrTail });
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (SandboxError.isInstance(error)) throw error;
    const reason = timeout.aborted
      ? `it did not end within ${limits.timeoutMs} ms`
      : 'the stream was truncated';
    throw refusedStream(reason, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    if (!isComplete || stream.isEndedAtClose !== true) stop();
  }
}

/** Facts about a rejection. */
interface RefusalEvidence {
  readonly cause?: unknown;
  readonly stderrTail?: string;
}

/** Creates the error. `reason` completes its sentence. */
export function refusedStream(reason: string, evidence: RefusalEvidence = {}): SandboxError {
  return new SandboxError(`The work in the sandbox's git store could not be imported: ${reason}.`, {
    code: 'sync',
    ...evidence,
  });
}
