import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentEvent } from '../agents/agent-provider.ts';
import type { LifecycleEvent, RunEvent } from '../run-events.ts';
import { logFileName, openLogFile } from './log-file.ts';
import { appendOutcome, outcomeLogPath } from './outcome-log.ts';
import { createTerminalLine, type TerminalLine } from './terminal-line.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-logging-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const startedAt = new Date('2026-01-02T03:04:05.678Z');

test('names a log by target, branch and run, without what a file name cannot hold', () => {
  expect(logFileName({ branch: 'a/b:c', name: 'x*y', target: 'main' })).toBe('main-a-b-c-x-y.log');
  expect(logFileName({ branch: 'b', name: '' })).toBe('b.log');
  expect(Buffer.byteLength(logFileName({ branch: 'ü'.repeat(400) }))).toBeLessThan(255);
});

test('marks each run and keeps what was there', async () => {
  const path = join(folder, 'deep', 'x.log');
  for (const line of ['one\n', 'two\n']) {
    const log = await openLogFile({ path, startedAt });
    await log.write(line);
    expect(await log.close()).toBeUndefined();
  }
  const mark = '--- Run started: 2026-01-02T03:04:05.678Z ---';
  expect(readFileSync(path, 'utf8')).toBe(`${mark}\none\n${mark}\ntwo\n`);
});

test('writes lines in the order they were told, whether awaited or not', async () => {
  const path = join(folder, 'x.log');
  const log = await openLogFile({ path, startedAt });
  for (let number = 0; number < 20_000; number += 1) {
    const written = log.write(`line ${number}\n`);
    if (number % 7 === 0) await written;
  }
  await log.close();
  await log.write('too late\n');
  await log.close();
  const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1);
  expect(lines).toEqual(Array.from({ length: 20_000 }, (_, number) => `line ${number}`));
});

test('makes a writer wait while much is not written, and says what a writer that does not wait loses', async () => {
  const path = join(folder, 'x.log');
  const log = await openLogFile({ path, startedAt });
  const large = `${'x'.repeat(33 * 1024 * 1024)}\n`;
  let isThere = false;
  const waiting = log.write(large).then(() => {
    isThere = true;
  });
  void log.write(large);
  void log.write(large);
  void log.write('lost\n');
  await Promise.resolve();
  expect(isThere).toBe(false);
  await waiting;
  await log.close();
  expect(readFileSync(path, 'utf8').slice(-60)).toMatch(/x\n--- \d lines dropped ---\n$/u);
});

test('does not fail a run when the disk does, but says so at the end', async () => {
  const log = await openLogFile({ path: '/dev/full', startedAt });
  await log.write('x\n');
  expect(await log.close()).toMatchObject({ code: 'ENOSPC' });
});

const outcome = {
  time: startedAt,
  code: 'ok',
  route: 'tag',
  attempts: 1,
  issuePaths: [],
  agent: 'claude-code',
};

test('records an outcome as one line without what is not known', async () => {
  const path = outcomeLogPath(join(folder, '.truecast'));
  await appendOutcome(path, { ...outcome, issuePaths: [['a', 0, 'b'], []], rawChars: 12 });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    ...outcome,
    time: '2026-01-02T03:04:05.678Z',
    issuePaths: ['a/0/b', ''],
    rawChars: 12,
  });
});

test('keeps lines whole that many processes append at once', async () => {
  const path = join(folder, 'outcomes.jsonl');
  const program = `
    import { appendOutcome } from ${JSON.stringify(join(import.meta.dirname, 'outcome-log.ts'))};
    await Promise.all(Array.from({ length: 100 }, () => appendOutcome(${JSON.stringify(path)}, {
      time: new Date(), code: 'ok', attempts: 1, issuePaths: Array.from({ length: 40 }, (_, at) => ['some', 'path', at]) })));`;
  const writers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: 'inherit' }),
  );
  expect(
    await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as unknown)),
  ).toEqual([0, 0, 0, 0]);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(400);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

interface Screen {
  readonly line: TerminalLine;
  readonly clock: { ms: number };
  readonly tick: () => void;
  readonly written: () => string;
}

function screen({ isTTY = true, columns = 60 } = {}): Screen {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  const clock = { ms: 1_000 };
  let callback = (): void => undefined;
  const line = createTerminalLine({
    stream,
    now: () => clock.ms,
    everySecond: (tick) => {
      callback = tick;
      return () => {
        callback = (): void => undefined;
      };
    },
  });
  const written = (): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { line, clock, tick: () => callback(), written };
}

function event(told: AgentEvent | LifecycleEvent): RunEvent {
  return { iteration: 1, ...told, timestamp: startedAt };
}

const usage = {
  inputTokens: 1_000,
  outputTokens: 200,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 34,
  costUsd: 0.0123,
};

test('shows what the agent does, for how long, at what cost', () => {
  const { line, clock, tick, written } = screen();
  clock.ms += 61_500;
  line.update(event({ type: 'usage', usage }));
  line.update(event({ type: 'tool-call', name: 'Bash', input: { command: 'npm test' } }));
  expect(written()).toContain('1m01s · 1 call · 1.2k tokens · $0.012 · Bash npm test');
  clock.ms += 1_000;
  tick();
  expect(written()).toContain('1m02s');
});

test('shows a line of text that arrives in pieces', () => {
  const { line, clock, written } = screen();
  for (const text of ['old line\nI will ', 'run the', ' tests']) {
    clock.ms += 100;
    line.update(event({ type: 'text', text }));
  }
  expect(written().endsWith(' · I will run the tests')).toBe(true);
});

test('adds up the usage of processes one after another', () => {
  const { line, clock, written } = screen();
  line.update(event({ type: 'usage', usage }));
  line.update(event({ type: 'usage', usage }));
  line.update(event({ type: 'iteration-start', iteration: 1, attempt: 2 }));
  clock.ms += 100;
  line.update(event({ type: 'usage', usage }));
  expect(written()).toContain('2.5k tokens · $0.025 · attempt 2');
});

test('writes nothing where there is no terminal', () => {
  const { line, written } = screen({ isTTY: false });
  line.update(event({ type: 'text', text: 'x' }));
  line.clear();
  line.close();
  expect(written()).toBe('');
});

test('keeps to one line, and lets no text steer the terminal', () => {
  const { line, written } = screen({ columns: 30 });
  line.update(
    event({
      type: 'text',
      text: 'first\n\u001B[2J\u001B]0;owned\u0007\u202E日本語 and a long text that goes on\r\u009B31m',
    }),
  );
  const [shown] = written().split('\u001B[2K').slice(-1);
  // eslint-disable-next-line no-control-regex -- what must not be there
  expect(shown).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/u);
  expect(shown!.length + 3).toBeLessThanOrEqual(29);
  expect(shown).toContain('日本語');
});

test('gives the cursor back, and is quiet after that', () => {
  const { line, tick, written } = screen();
  line.update(event({ type: 'thinking', text: 'hm' }));
  expect(written()).toContain('\u001B[?25l');
  line.close();
  expect(written()).toBe('\r\u001B[2K\u001B[?25h');
  line.update(event({ type: 'text', text: 'x' }));
  tick();
  line.close();
  expect(written()).toBe('');
});

test('leaves no cursor hidden when the process ends in the middle', async () => {
  const program = `
    import { createTerminalLine } from ${JSON.stringify(join(import.meta.dirname, 'terminal-line.ts'))};
    const stream = Object.assign(process.stdout, { isTTY: true });
    createTerminalLine({ stream }).update({ type: 'thinking', text: '', iteration: 1, timestamp: new Date() });
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await once(child, 'close');
  expect(out.endsWith('\u001B[?25h')).toBe(true);
});

test('makes way for other text and comes back', () => {
  const { line, clock, written } = screen();
  line.update(event({ type: 'text', text: 'one' }));
  line.clear();
  line.clear();
  clock.ms += 100;
  line.update(event({ type: 'text', text: 'two' }));
  expect(written()).toContain('one\r\u001B[2K\u001B[?25h\u001B[?25l\r\u001B[2K');
});

test('needs no folder to be there', async () => {
  mkdirSync(join(folder, 'x'));
  await appendOutcome(outcomeLogPath(join(folder, 'y', '.truecast')), outcome);
  expect(readFileSync(join(folder, 'y', '.truecast', 'outcomes.jsonl'), 'utf8')).toContain('"code":"ok"');
});
