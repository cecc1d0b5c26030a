/**
 * Owns the last row of a terminal: finished lines scroll above it, and it shows what happens now.
 * Runs at the same time share it: each terminal has one screen.
 */
import { columnsOf, fitToColumns } from './terminal-text.ts';

/** A stream that may be a terminal. */
export type TerminalStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** What is shown on the last row, in plain text; asked for at each frame. */
export type DescribeRow = () => string;

/** The screen of one terminal. */
export interface TerminalScreen {
  /** Adds a line above the last row; it must hold nothing but what may reach a terminal. */
  print(line: string): void;
  /** Puts an owner's row on the screen; of several, that of the owner who spoke last is shown. */
  show(owner: object, describe: DescribeRow): void;
  /** Takes an owner's row off. With the last owner the cursor comes back. */
  leave(owner: object): void;
}

/** Time and timers, in milliseconds. */
export interface ScreenClock {
  now(): number;
  /** Calls back once, after `delayMs`; returns how to call it off. Keeps no process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const CLEAR_TO_END = '\u001B[K';

/** Ten frames a second: faster nobody reads, and a terminal over a network falls behind. */
const FRAME_MS = 100;
/** The row tells the time in seconds. */
const TICK_MS = 1_000;
const FALLBACK_COLUMNS = 80;

const screens = new WeakMap<TerminalStream, TerminalScreen>();

/** Tells whether a stream is a terminal that understands how a row is drawn again. */
export function isLiveTerminal(stream: TerminalStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}

/** How wide a terminal is; some pseudo-terminals say 0, which is none. */
export function columnsOfTerminal({ columns }: TerminalStream): number {
  return columns === undefined || columns === 0 ? FALLBACK_COLUMNS : columns;
}

/** Returns the screen of a terminal. */
export function screenOf(stream: TerminalStream): TerminalScreen {
  const known = screens.get(stream);
  if (known !== undefined) return known;
  const screen = createTerminalScreen(stream, SYSTEM_CLOCK);
  screens.set(stream, screen);
  return screen;
}

/** Makes a screen; each frame is one write, so that nothing flickers. */
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
  // A process that ends on a signal or an error must not leave a terminal without a cursor.
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
  // A character in the last column makes some terminals begin the next row.
  const columns = columnsOfTerminal(stream) - 1;
  const others = rows.size > 1 ? ` (+${rows.size - 1} more)` : '';
  return `${fitToColumns(describe(), columns - columnsOf(others))}${others}`;
}

/** Writes frames: lines, and below them the row or none. */
function createPainter(stream: TerminalStream): (lines: readonly string[], row: string | undefined) => void {
  let painted: string | undefined;
  return (lines, row) => {
    const above = lines.map((line) => `${line}${CLEAR_TO_END}\n`).join('');
    if (above === '' && row === painted) return;
    const start = painted === undefined ? '' : '\r';
    if (row !== undefined)
      stream.write(`${painted === undefined ? HIDE_CURSOR : start}${above}${row}${CLEAR_TO_END}`);
    else stream.write(`${start}${above}${painted === undefined ? '' : `${CLEAR_TO_END}${SHOW_CURSOR}`}`);
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
