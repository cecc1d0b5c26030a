/**
 * Output collector: keeps a command's stdout and stderr in bounded memory, and notifies listeners.
 */
import type { Readable } from 'node:stream';
import { createTextTail } from '../support/text-tail.ts';
import { createLineSplitter } from '../support/split-lines.ts';

/** Kept tail of a stream whose pieces were sent to a listener, in UTF-16 units. */
const STREAMED_TAIL_CHARS: number = 64 * 1024;

/** Kept part of a stream without a listener, in UTF-16 units. */
export const MAX_COLLECTED_CHARS: number = 64 * 1024 * 1024;

export interface OutputListeners {
  readonly onLine?: (line: string) => void;
  readonly onChunk?: (chunk: string) => void;
  readonly onStderrChunk?: (chunk: string) => void;
  /**
   * Kept tail of each stream whose pieces were sent to a listener, in UTF-16 units. @default 65536
   */
  readonly maxTailChars?: number;
}

/** Kept output of a command. */
export interface CollectedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** True if output was discarded that no listener received. */
  readonly isOutputCut: boolean;
  /** Number of lines that were too long and were sent in pieces. */
  readonly cutLineCount: number;
}

/** Running collection of a command's output. */
export interface OutputCollector {
  readonly pieceCount: number;
  /** Sends the last line and returns the kept output. */
  end(): CollectedOutput;
}

/**
 * Reads both streams to their end.
 *
 * Listeners are called synchronously. A slow listener therefore slows the command down
 * (backpressure) instead of filling memory. The first error of a listener goes to
 * `onListenerError`, and listeners are not called afterwards.
 */
export function collectOutput(
  streams: { readonly stdout: Readable; readonly stderr: Readable | undefined },
  listeners: OutputListeners,
  onListenerError: (error: unknown) => void,
): OutputCollector {
  const isStreaming = listeners.onLine !== undefined || listeners.onChunk !== undefined;
  const maxChars = isStreaming ? (listeners.maxTailChars ?? STREAMED_TAIL_CHARS) : MAX_COLLECTED_CHARS;
  const lines = listeners.onLine === undefined ? undefined : createLineSplitter(listeners.onLine);
  let pieceCount = 0;
  let hasFailed = false;
  const tell = (task: () => void): void => {
    if (hasFailed) return;
    try {
      task();
    } catch (error) {
      hasFailed = true;
      onListenerError(error);
    }
  };
  const read = (stream: Readable, onPiece: (piece: string) => void): KeptText => {
    const kept = keepText(maxChars);
    // The stream's decoder buffers a character that is split between two chunks.
    stream.setEncoding('utf8').on('data', (piece: string) => {
      pieceCount += 1;
      kept.push(piece);
      tell(() => onPiece(piece));
    });
    // A pipe that breaks while its process dies counts as ended.
    stream.on('error', () => undefined);
    return kept;
  };
  const stdout = read(streams.stdout, (piece) => {
    listeners.onChunk?.(piece);
    lines?.push(piece);
  });
  const stderr =
    streams.stderr === undefined
      ? keepText(0)
      : read(streams.stderr, (piece) => listeners.onStderrChunk?.(piece));
  return {
    get pieceCount() {
      return pieceCount;
    },
    end() {
      tell(() => lines?.end());
      return {
        stdout: stdout.text(),
        stderr: stderr.text(),
        isOutputCut:
          (!isStreaming && stdout.isCut()) || (listeners.onStderrChunk === undefined && stderr.isCut()),
        cutLineCount: lines?.cutCount ?? 0,
      };
    },
  };
}

interface KeptText {
  push(piece: string): void;
  text(): string;
  isCut(): boolean;
}

function keepText(maxChars: number): KeptText {
  const tail = createTextTail(maxChars);
  let chars = 0;
  return {
    push(piece) {
      chars += piece.length;
      tail.push(piece);
    },
    text: () => tail.toString(),
    isCut: () => chars > maxChars,
  };
}
