import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTerminalScreen, type TerminalScreen } from './terminal-screen.ts';

interface Stage {
  readonly screen: TerminalScreen;
  /** Advances the clock, and runs the due timers. */
  pass(ms: number): void;
  /** Returns the writes since the last call. */
  writes(): string[];
}

function stage(columns = 40, rows = 24): Stage {
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  let nowMs = 0;
  let due: { readonly atMs: number; readonly callback: () => void } | undefined;
  const screen = createTerminalScreen(stream, {
    now: () => nowMs,
    after: (delayMs, callback) => {
      const own = { atMs: nowMs + delayMs, callback };
      due = own;
      return () => {
        if (due === own) due = undefined;
      };
    },
  });
  return {
    screen,
    pass(ms) {
      const endMs = nowMs + ms;
      while (due !== undefined && due.atMs <= endMs) {
        const { atMs, callback } = due;
        due = undefined;
        nowMs = atMs;
        callback();
      }
      nowMs = endMs;
    },
    writes: () => {
      // A PassThrough passes writes on only after a read.
      for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) continue;
      return written.splice(0);
    },
  };
}

const HIDE = '\u001B[?25l';
const SHOW = '\u001B[?25h';
const CLEAR = '\u001B[K';

test('draws at most ten times a second, with one write each, however many events arrive', () => {
  const { screen, pass, writes } = stage();
  const owner = {};
  for (let count = 0; count < 1_000; count += 1) {
    screen.show(owner, () => `row ${count}`);
    if (count % 100 === 0) screen.print(`line ${count}`);
    pass(1);
  }
  const frames = writes();
  expect(frames.length).toBeLessThanOrEqual(11);
  expect(frames.join('').match(/line \d+/gu)).toHaveLength(10);
});

test('draws the lines above the row, and clears what was longer', () => {
  const { screen, pass, writes } = stage();
  const owner = {};
  screen.show(owner, () => 'a long row');
  expect(writes()).toEqual([`${HIDE}a long row${CLEAR}`]);
  pass(200);
  screen.print('done');
  expect(writes()).toEqual([`\rdone${CLEAR}\na long row${CLEAR}`]);
});

test('draws again each second for the time, and not at all where nothing changed', () => {
  const { screen, pass, writes } = stage();
  let seconds = 0;
  screen.show({}, () => `${seconds}s`);
  writes();
  pass(1_000);
  expect(writes()).toEqual([]);
  seconds = 2;
  pass(1_000);
  expect(writes()).toEqual([`\r2s${CLEAR}`]);
});

test('keeps the row to one line of a narrow terminal', () => {
  const { screen, writes } = stage(10);
  screen.show({}, () => '日本語日本語日本語');
  expect(writes()).toEqual([`${HIDE}日本語日…${CLEAR}`]);
});

test('shows a row for each run, in the order in which they began', () => {
  const { screen, pass, writes } = stage();
  const [one, other] = [{}, {}];
  screen.show(one, () => 'one');
  pass(200);
  screen.show(other, () => 'other');
  pass(200);
  screen.show(one, () => 'one again');
  pass(200);
  screen.print('a line');
  pass(200);
  screen.leave(one);
  screen.leave(other);
  expect(writes()).toEqual([
    `${HIDE}one${CLEAR}`,
    `\rone${CLEAR}\nother${CLEAR}`,
    `\r\u001B[1Aone again${CLEAR}\nother${CLEAR}`,
    `\r\u001B[1Aa line${CLEAR}\none again${CLEAR}\nother${CLEAR}`,
    `\r\u001B[1Aother${CLEAR}\u001B[J`,
    `\r${CLEAR}${SHOW}`,
  ]);
});

test('keeps the rows to the height of the terminal, and the last one visible', () => {
  const { screen, writes } = stage(40, 7);
  screen.show({}, () => ['1', '2', '3', '4', '5', 'all of them']);
  expect(writes()).toEqual([
    `${HIDE}${['1', '2', '3', '(+2 more) all of them'].map((row) => row + CLEAR).join('\n')}`,
  ]);
});

test('erases the rows for a write of another stream, and shows them again', () => {
  const { screen, pass, writes } = stage();
  screen.show({}, () => ['one', 'two']);
  pass(200);
  writes();
  screen.around(() => expect(writes()).toEqual([`\r\u001B[1A\u001B[J${SHOW}`]));
  pass(200);
  expect(writes()).toEqual([`${HIDE}one${CLEAR}\ntwo${CLEAR}`]);
});

test('gives the cursor back with the last run, and keeps its last lines', () => {
  const { screen, pass, writes } = stage();
  const owner = {};
  screen.show(owner, () => 'row');
  screen.print('last');
  writes();
  screen.leave(owner);
  screen.leave(owner);
  pass(5_000);
  expect(writes()).toEqual([`\rlast${CLEAR}\n${CLEAR}${SHOW}`]);
});

test('leaves no cursor hidden when the process ends in the middle', async () => {
  const program = `
    import { screenOf } from ${JSON.stringify(join(import.meta.dirname, 'terminal-screen.ts'))};
    screenOf(Object.assign(process.stdout, { isTTY: true })).show({}, () => 'row');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await once(child, 'close');
  expect(out).toBe(`${HIDE}row${CLEAR}\r${CLEAR}${SHOW}`);
});
