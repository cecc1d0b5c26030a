/**
 * Terminal screen: status rows at the bottom, above which finished lines scroll. Concurrent runs share it,
 * because each terminal has one screen, and each run has its row.
 */
import { fitToColumns } from '../../support/terminal-text.ts';

export type TerminalStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Returns the status rows of an owner as plain text. Called at each frame. */
export type DescribeRows = () => string | readonly string[];

export interface TerminalScreen {
  /**
   * Adds a line above the status rows. The line must contain only characters that are safe for a
   * terminal.
   */
  print(line: string): void;
  /** Adds the rows of an owner below those of earlier owners, or replaces them. */
  show(owner: object, describe: DescribeRows): void;
  /** Removes the rows of an owner. After the last owner the cursor is shown again. */
  leave(owner: object): void;
  /** Erases the rows for a write to this terminal by other means. They come back with the next frame. */
  around(write: () => void): void;
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
const CLEAR_BELOW = '\u001B[J';
const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : '');

/** Ten frames a second. More is unreadable, and a terminal over a network falls behind. */
const FRAME_MS = 100;
/** The row shows the time in seconds. */
const TICK_MS = 1_000;
const FALLBACK_COLUMNS = 80;
const FALLBACK_ROWS = 24;
/** Lines above the status rows that stay visible. */
const MIN_LINES_ABOVE = 3;

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
  const rows = new Map<object, DescribeRows>();
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
    paint(lines, currentRows(rows, stream));
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
      rows.set(owner, describe);
      changed();
    },
    leave(owner) {
      if (!rows.delete(owner)) return;
      if (rows.size === 0) process.off('exit', onExit);
      draw();
    },
    around(write) {
      paint(lines, []);
      lines = [];
      write();
      if (rows.size > 0) changed();
    },
  };
}

/** Returns the rows of all owners, as many as the terminal has room for. */
function currentRows(owners: ReadonlyMap<object, DescribeRows>, stream: TerminalStream): readonly string[] {
  const all = [...owners.values()].flatMap((describe) => describe());
  // A character in the last column makes some terminals start the next row.
  const fitted = all.map((row) => fitToColumns(row, columnsOfTerminal(stream) - 1));
  const { rows = 0 } = stream;
  const room = Math.max(1, (rows === 0 ? FALLBACK_ROWS : rows) - MIN_LINES_ABOVE);
  if (fitted.length <= room) return fitted;
  const last = fitted.at(-1) ?? '';
  const hidden = `(+${fitted.length - room} more) `;
  // The last row can be a summary of all.
  return [...fitted.slice(0, room - 1), fitToColumns(hidden + last, columnsOfTerminal(stream) - 1)];
}

/** Creates a function that writes frames: lines, and the rows below them if there are some. */
function createPainter(stream: TerminalStream): (lines: readonly string[], rows: readonly string[]) => void {
  let painted: readonly string[] = [];
  return (lines, rows) => {
    const above = lines.map((line) => `${line}${CLEAR_TO_END}\n`).join('');
    const isSame = rows.length === painted.length && rows.every((row, index) => row === painted[index]);
    if (above === '' && isSame) return;
    // The cursor is at the end of the last row.
    const start = painted.length === 0 ? '' : `\r${up(painted.length - 1)}`;
    const below = rows.map((row) => `${row}${CLEAR_TO_END}`).join('\n');
    const written = lines.length + rows.length;
    // Rows of the last frame that this one does not cover.
    const rest = written < painted.length ? CLEAR_BELOW : '';
    if (rows.length > 0) stream.write(`${painted.length === 0 ? HIDE_CURSOR : start}${above}${below}${rest}`);
    else {
      const end =
        painted.length === 0 ? '' : `${painted.length === 1 ? CLEAR_TO_END : CLEAR_BELOW}${SHOW_CURSOR}`;
      stream.write(`${start}${above}${end}`);
    }
    painted = rows;
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
