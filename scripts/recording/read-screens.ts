/** Screen reader: replays a recorded terminal session, and returns each screen with its time. */
import xterm from '@xterm/headless';

/** Cells of one style, from a column of a row. */
export interface ScreenRun {
  readonly column: number;
  readonly text: string;
  /** Color 0 to 15. Undefined for the default. */
  readonly color: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** The contents of a terminal at one time. */
export interface Screen {
  readonly atMs: number;
  readonly rows: readonly (readonly ScreenRun[])[];
}

/** Bytes of a session, and the times that `script --log-timing` wrote. */
export interface RecordedSession {
  readonly bytes: Buffer;
  readonly timing: string;
}

/** A change that is followed by another one sooner is not shown. */
const MIN_FRAME_MS = 60;

/** Returns the screens that differ, in order. */
export async function readScreens(
  { bytes, timing }: RecordedSession,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<readonly Screen[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const screens: Screen[] = [];
  // The log starts with a line of `script` itself, which the timing does not count.
  let offset = bytes.indexOf('\n') + 1;
  let atMs = 0;
  for (const [delaySeconds, length] of chunksOf(timing)) {
    atMs += delaySeconds * 1000;
    const chunk = bytes.subarray(offset, offset + length);
    offset += length;
    await new Promise<void>((resolve) => terminal.write(chunk, resolve));
    const screen = { atMs, rows: rowsOf(terminal) };
    const last = screens.at(-1);
    if (JSON.stringify(last?.rows) === JSON.stringify(screen.rows)) continue;
    if (last !== undefined && atMs - last.atMs < MIN_FRAME_MS) screens.pop();
    screens.push(screen);
  }
  return screens;
}

function chunksOf(timing: string): readonly (readonly [number, number])[] {
  const lines = timing.trim().split('\n');
  return lines.map((line) => {
    const [delay = '0', length = '0'] = line.split(' ');
    return [Number(delay), Number(length)] as const;
  });
}

function rowsOf(terminal: xterm.Terminal): readonly (readonly ScreenRun[])[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, index) => {
    const line = active.getLine(active.viewportY + index);
    return line === undefined ? [] : runsOf(line, terminal.cols);
  });
}

function runsOf(line: xterm.IBufferLine, columns: number): readonly ScreenRun[] {
  const runs: ScreenRun[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    const text = cell?.getChars() ?? '';
    if (cell === undefined || text === '') continue;
    const style = {
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const last = runs.at(-1);
    if (last !== undefined && last.column + last.text.length === column && isSame(last, style)) {
      runs[runs.length - 1] = { ...last, text: last.text + text };
    } else runs.push({ column, text, ...style });
  }
  return runs.map(withoutSpaces).filter(({ text }) => text !== '');
}

/** Spaces at the ends are not drawn. */
function withoutSpaces(run: ScreenRun): ScreenRun {
  const text = run.text.trimStart();
  return { ...run, column: run.column + run.text.length - text.length, text: text.trimEnd() };
}

function isSame(run: ScreenRun, style: Pick<ScreenRun, 'color' | 'isBold' | 'isDim'>): boolean {
  return run.color === style.color && run.isBold === style.isBold && run.isDim === style.isDim;
}
