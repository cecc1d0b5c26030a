/** Owns what is kept and told of a command's stdout and stderr. */
import type { Readable } from 'node:stream';
import { createTextTail } from '../text-tail.ts';
import { createLineSplitter } from './split-lines.ts';

/** How much of a stream is kept when its pieces were told as they came, in UTF-16 units. */
const STREAMED_TAIL_CHARS: number = 64 * 1024;

/** How much of a stream is kept when nobody listens, in UTF-16 units. */
export const MAX_COLLECTED_CHARS: number = 64 * 1024 * 1024;

/** Who listens to a command's output. */
export interface OutputListeners {
  readonly onLine?: (line: string) => void;
  readonly onChunk?: (chunk: string) => void;
  readonly onStderrChunk?: (chunk: string) => void;
  /** How much of each stream is kept when its pieces were told as they came, in UTF-16 units. @default 65536 */
  readonly maxTailChars?: number;
}

/** What was kept of a command's output. */
export interface CollectedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** True when something of it is gone, and nobody had asked to hear it as it came. */
  readonly isOutputCut: boolean;
  /** How many times a line was too long and was told in pieces. */
  readonly cutLineCount: number;
}

/** Output being collected. */
export interface OutputCollector {
  /** Grows with each piece that arrives. */
  readonly pieceCount: number;
  /** Tells the last line and returns what was kept. */
  end(): CollectedOutput;
}

/**
 * Reads both streams to their end.
 *
 * Listeners are called synchronously, so that a slow one holds the command back instead of filling memory.
 * The first error of a listener goes to `onListenerError`; nothing is told after it.
 */
export function collectOutput(
  streams: { readonly stdout: Readable; readonly stderr: Readable },
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
    // The stream's own decoder holds back a character that a chunk cut in two.
    stream.setEncoding('utf8').on('data', (piece: string) => {
      pieceCount += 1;
      kept.push(piece);
      tell(() => onPiece(piece));
    });
    // A pipe that breaks while its process dies has ended, no more.
    stream.on('error', () => undefined);
    return kept;
  };
  const stdout = read(streams.stdout, (piece) => {
    listeners.onChunk?.(piece);
    lines?.push(piece);
  });
  const stderr = read(streams.stderr, (piece) => listeners.onStderrChunk?.(piece));
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
