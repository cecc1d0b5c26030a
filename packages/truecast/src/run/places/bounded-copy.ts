/**
 * Limits on copying a session: bytes, time and the run's signal, the same for every agent's
 * storage.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxExecOptions, SandboxHandle } from '../../ports/sandbox-provider.ts';
import { overrideHandle } from './override-handle.ts';

export interface CopyBounds {
  /** Maximum total size of the session's files, in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Aborts the copy. After the end of the run, a copy has `AFTER_END_MS`. */
  readonly signal: AbortSignal;
}

/** Time limit to copy the session of an aborted run, which `session.resume` needs. */
const AFTER_END_MS = 5_000;

/**
 * Returns a handle whose commands end at the limits. Together they read and print at most
 * `maxBytes`.
 */
export function boundedCopy(handle: SandboxHandle, bounds: CopyBounds): SandboxHandle {
  const { signal, maxBytes } = bounds;
  const tooLarge = new AbortController();
  const timeoutMs = signal.aborted ? Math.min(AFTER_END_MS, bounds.timeoutMs) : bounds.timeoutMs;
  const late = lateSignal(timeoutMs);
  const ends = [tooLarge.signal, late, ...(signal.aborted ? [] : [signal])];
  let bytes = 0;
  const count = (text: string): boolean => {
    bytes += Buffer.byteLength(text);
    if (bytes > maxBytes) tooLarge.abort(sizeError(maxBytes));
    return bytes <= maxBytes;
  };
  return overrideHandle(handle, {
    exec: (command: string, options: SandboxExecOptions = {}) => {
      const all = AbortSignal.any([...ends, ...(options.signal === undefined ? [] : [options.signal])]);
      const { onLine, stdin } = options;
      if (stdin !== undefined) count(stdin);
      if (onLine === undefined) return handle.exec(command, { ...options, signal: all });
      const counted: SandboxExecOptions =
        handle.streamsChunks === true
          ? { onChunk: count, onLine: (line) => bytes <= maxBytes && onLine(line) }
          : { onLine: (line) => count(`${line}\n`) && onLine(line) };
      return handle.exec(command, { ...options, ...counted, signal: all });
    },
  });
}

function lateSignal(timeoutMs: number): AbortSignal {
  const late = new AbortController();
  const message = `The session was not copied within ${timeoutMs} ms. Raise \`timeouts.sessionCopyMs\`, or set \`captureSessions: false\`.`;
  setTimeout(() => late.abort(new SandboxError(message, { code: 'copy' })), timeoutMs).unref();
  return late.signal;
}

function sizeError(maxBytes: number): SandboxError {
  return new SandboxError(
    `The session is larger than ${maxBytes} bytes. Raise \`session.maxBytes\`, or set \`captureSessions: false\`.`,
    { code: 'copy' },
  );
}
