import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logFileName, openLogFile } from './log-file.ts';
import { appendOutcome, outcomeLogPath } from './outcome-log.ts';

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
    const log = await openLogFile({ path, maxBytes: 2 ** 40, startedAt });
    await log.write(line);
    expect(await log.close()).toBeUndefined();
  }
  const mark = '--- Run started: 2026-01-02T03:04:05.678Z ---';
  expect(readFileSync(path, 'utf8')).toBe(`${mark}\none\n${mark}\ntwo\n`);
});

test('writes lines in call order, whether awaited or not', async () => {
  const path = join(folder, 'x.log');
  const log = await openLogFile({ path, maxBytes: 2 ** 40, startedAt });
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

test('reports once that it reached its limit, and omits the rest', async () => {
  const path = join(folder, 'x.log');
  const log = await openLogFile({ path, maxBytes: 100, startedAt });
  for (let number = 0; number < 1_000; number += 1) await log.write(`line ${number}\n`);
  expect(await log.close()).toBeUndefined();
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('reached its limit of 100 bytes'))).toHaveLength(1);
  expect(lines.join('').length).toBeLessThan(250);
});

test('writes each megabyte to a regular file before it takes more, so that nothing is held or lost', async () => {
  const path = join(folder, 'x.log');
  const log = await openLogFile({ path, maxBytes: 2 ** 40, startedAt });
  const line = `${'x'.repeat(99)}\n`;
  const held: number[] = [];
  for (let chars = 0; chars < 80 * 1024 * 1024; chars += 64 * 1024 * line.length) {
    for (let count = 0; count < 64 * 1024; count += 1) void log.write(line);
    held.push(chars + 64 * 1024 * line.length - statSync(path).size);
  }
  expect(Math.max(...held)).toBeLessThan(1.1 * 1024 * 1024);
  await log.close();
  expect(readFileSync(path, 'utf8').split(line)).toHaveLength(13 * 64 * 1024 + 1);
});

test('makes a writer to a pipe wait while much is not read, and says what a writer that does not wait loses', async () => {
  const path = join(folder, 'x.pipe');
  execFileSync('mkfifo', [path]);
  const reader = spawn('sh', ['-c', `sleep 0.5; tail -c 60 '${path}'`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tail = text(reader.stdout);
  const log = await openLogFile({ path, maxBytes: 2 ** 40, startedAt });
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
  expect(await tail).toMatch(/x\n--- \d lines dropped ---\n$/u);
});

test('does not fail a run on a disk error, but reports it at the end', async () => {
  const log = await openLogFile({ path: '/dev/full', maxBytes: 2 ** 40, startedAt });
  await log.write('x\n');
  expect(await log.close()).toMatchObject({ code: 'ENOSPC' });
});

const outcome = {
  time: startedAt,
  code: 'ok',
  mode: 'tag',
  attempts: 1,
  issuePaths: [],
  agent: 'claude-code',
};

test('records an outcome as one line without what is not known', async () => {
  const path = outcomeLogPath(join(folder, 'state'));
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
  const writers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: 'inherit' }),
  );
  expect(
    await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as unknown)),
  ).toEqual([0, 0, 0]);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(300);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('needs no folder to be there', async () => {
  mkdirSync(join(folder, 'x'));
  await appendOutcome(outcomeLogPath(join(folder, 'y', 'state')), outcome);
  expect(readFileSync(join(folder, 'y', 'state', 'outcomes.jsonl'), 'utf8')).toContain('"code":"ok"');
});
