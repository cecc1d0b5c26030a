/**
 * Stderr of an MCP server: masked lines for the log, limited in length and rate, and the last lines
 * for errors.
 */
import { StringDecoder } from 'node:string_decoder';
import type { ObservedStderr } from '../contract/observed-work.ts';

export interface McpStderrOptions {
  readonly server: string;
  readonly onLine?: ((line: ObservedStderr) => void) | undefined;
  /** Masks secrets. @default the text unchanged */
  readonly mask?: ((text: string) => string) | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Maximum length of a line that is read, large enough that no secret is truncated before it is
 * masked. The rest is dropped.
 */
const MAX_READ_CHARS = 8_192;
const MAX_LINE_CHARS = 1_000;
const MAX_LINES_PER_MINUTE = 100;
const MAX_CHARS_PER_MINUTE = 32_768;
const MINUTE_MS = 60_000;
const TAIL_LINES = 5;
/** Escapes of terminals, and control characters except the tab. */
const CONTROLS = /(?!\t)\p{Cc}(?:\[[0-?]*[ -/]*[@-~])?/gu;

/** Reads one process's stderr. */
export class McpStderr {
  readonly #options: McpStderrOptions;
  readonly #decoder = new StringDecoder('utf8');
  #pending = '';
  readonly #tail: string[] = [];
  #minuteEndsMs = 0;
  #lines = 0;
  #chars = 0;
  #skipped = 0;

  constructor(options: McpStderrOptions) {
    this.#options = options;
  }

  /** Reads a chunk with arbitrary boundaries. */
  push(chunk: Buffer): void {
    const [first = '', ...rest] = this.#decoder.write(chunk).split('\n');
    this.#append(first);
    for (const piece of rest) {
      this.#endLine();
      this.#append(piece);
    }
  }

  /** Reads the last line. Call it when the process has ended. */
  end(): void {
    this.#append(this.#decoder.end());
    this.#endLine();
    this.#reportSkipped();
  }

  /** Returns the last lines, masked, for an error message. Empty if nothing was written. */
  tail(): string {
    return this.#tail.join('\n');
  }

  #append(piece: string): void {
    this.#pending += piece.slice(0, MAX_READ_CHARS - this.#pending.length);
  }

  #endLine(): void {
    const { mask = (text: string): string => text } = this.#options;
    const text = mask(this.#pending.replaceAll(CONTROLS, '')).slice(0, MAX_LINE_CHARS).trimEnd();
    this.#pending = '';
    if (text === '') return;
    this.#tail.push(text);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    this.#startMinute();
    if (this.#lines >= MAX_LINES_PER_MINUTE || this.#chars + text.length > MAX_CHARS_PER_MINUTE) {
      this.#skipped += 1;
      return;
    }
    this.#lines += 1;
    this.#chars += text.length;
    this.#report('debug', text);
  }

  #startMinute(): void {
    const nowMs = this.#options.now();
    if (nowMs < this.#minuteEndsMs) return;
    this.#reportSkipped();
    this.#minuteEndsMs = nowMs + MINUTE_MS;
    this.#lines = 0;
    this.#chars = 0;
  }

  #reportSkipped(): void {
    if (this.#skipped === 0) return;
    this.#report('warn', `${this.#skipped} lines were omitted, because the server writes too many.`);
    this.#skipped = 0;
  }

  #report(level: ObservedStderr['level'], text: string): void {
    const { server, onLine } = this.#options;
    onLine?.({ server, level, text });
  }
}
