/**
 * Terminal screen: a status row at the bottom, above which finished lines scroll. Concurrent runs
 * share it, because each terminal has one screen.
 */
import { columnsOf, fitToColumns } from '../../support/terminal-text.ts';

export type TerminalStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** Returns the status row as plain text. Called at each frame. */
export type DescribeRow = () => string;

export interface TerminalScreen {
  /**
   * Adds a line above the status row. The line must contain only characters that are safe for a
   * terminal.
   */
  print(line: string): void;
  /** Adds an owner's row to the screen. The row of the most recent owner is shown. */
  show(owner: object, describe: DescribeRow): void;
  /** Removes an owner's row. After the last owner the cursor is shown again. */
  leave(owner: object): void;
}

/** Time and timers, in milliseconds. */
export interface ScreenClock {
  now(): number;
  /**
   * Calls back once, after `delayMs`. Returns a function that cancels it. The timer does not keep
   * the process alive.
   */
  after(delayMs: number, callback: () => void): () => void;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const CLEAR_TO_END = '\u001B[K';

/** Ten frames a second. More is unreadable, and a terminal over a network falls behind. */
const FRAME_MS = 100;
/** The row shows the time in seconds. */
const TICK_MS = 1_000;
const FALLBACK_COLUMNS = 80;

const screens = new WeakMap<TerminalStream, TerminalScreen>();

/** Returns true if a stream is a terminal that supports redrawing a row. */
export function isLiveTerminal(stream: TerminalStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}

/** Returns the width of a terminal. Some pseudo-terminals report 0, which means unknown. */
export function columnsOfTerminal({ columns }: TerminalStream): number {
  return columns === undefined || columns === 0 ? FALLBACK_COLUMNS : columns;
}

export function screenOf(stream: TerminalStream): TerminalScreen {
  const known = screens.get(stream);
  if (known !== undefined) return known;
  const screen = createTerminalScreen(stream, SYSTEM_CLOCK);
  screens.set(stream, screen);
  return screen;
}

/** Creates a screen. Each frame is one write, to prevent flicker. */
export function createTerminalScreen(stream: TerminalStream, clock: ScreenClock): TerminalScreen {
  const rows = new Map<object, DescribeRow>();
  const paint = createPainter(stream);
  let lines: string[] = [];
  let paintedMs = -Infinity;
  let callOff: (() => void) | undefined;

  function schedule(delayMs: number): void {
    callOff?.();
    callOff = clock.after(delayMs, draw);
  }
  function draw(): void {
    callOff?.();
    callOff = undefined;
    paintedMs = clock.now();
    paint(lines, currentRow(rows, stream));
    lines = [];
    if (rows.size > 0) schedule(TICK_MS);
  }
  function changed(): void {
    const sinceMs = clock.now() - paintedMs;
    if (sinceMs >= FRAME_MS) draw();
    else schedule(FRAME_MS - sinceMs);
  }
  // A process that ends on a signal or an error must restore the cursor.
  const onExit = (): void => {
    rows.clear();
    draw();
  };
  return {
    print(line) {
      lines.push(line);
      changed();
    },
    show(owner, describe) {
      if (rows.size === 0) process.once('exit', onExit);
      rows.delete(owner);
      rows.set(owner, describe);
      changed();
    },
    leave(owner) {
      if (!rows.delete(owner)) return;
      if (rows.size === 0) process.off('exit', onExit);
      draw();
    },
  };
}

function currentRow(rows: ReadonlyMap<object, DescribeRow>, stream: TerminalStream): string | undefined {
  const describe = [...rows.values()].at(-1);
  if (describe === undefined) return undefined;
  // A character in the last column makes some terminals start the next row.
  const columns = columnsOfTerminal(stream) - 1;
  const others = rows.size > 1 ? ` (+${rows.size - 1} more)` : '';
  return `${fitToColumns(describe(), columns - columnsOf(others))}${others}`;
}

/** Creates a function that writes frames: lines, and the row below them if there is one. */
function createPainter(stream: TerminalStream): (lines: readonly string[], row: string | undefined) => void {
  let painted: string | undefined;
  return (lines, row) => {
    const above = lines.map((line) => `${line}${CLEAR_TO_END}\n`).join('');
    if (above === '' && row === painted) return;
    const start = painted === undefined ? '' : '\r';
    if (row !== undefined) {
      stream.write(`${painted === undefined ? HIDE_CURSOR : start}${above}${row}${CLEAR_TO_END}`);
    } else stream.write(`${start}${above}${painted === undefined ? '' : `${CLEAR_TO_END}${SHOW_CURSOR}`}`);
    painted = row;
  };
}

const SYSTEM_CLOCK: ScreenClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
