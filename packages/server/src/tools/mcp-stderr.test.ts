import { expect, it } from 'vitest';
import type { ObservedStderr } from '../contract/observed-work.ts';
import { McpStderr } from './mcp-stderr.ts';

function stderr(mask?: (text: string) => string) {
  const lines: ObservedStderr[] = [];
  const clock = { nowMs: 0 };
  const onLine = (line: ObservedStderr): void => void lines.push(line);
  const reader = new McpStderr({ server: 's', onLine, mask, now: () => clock.nowMs });
  const write = (text: string): void => reader.push(Buffer.from(text));
  return { reader, lines, clock, write, texts: () => lines.map(({ text }) => text) };
}

it('reports lines whatever the chunks are, without escapes of terminals', () => {
  const { reader, texts } = stderr();
  const bytes = Buffer.from('one é\r\n\u001B[31mtwo\u001B[0m\u0007\n\nthree');
  for (const byte of bytes) reader.push(Buffer.of(byte));
  expect(texts()).toEqual(['one é', 'two']);
  reader.end();
  expect(texts()).toEqual(['one é', 'two', 'three']);
});

it('bounds the length of a line, after it was masked', () => {
  const secret = 's3cret-value';
  const { write, texts, reader } = stderr((text) => text.replaceAll(secret, '*'.repeat(secret.length)));
  write(`${'x'.repeat(995)}${secret}`);
  for (let chunk = 0; chunk < 100; chunk += 1) write('y'.repeat(10_000));
  write('\n');
  expect(texts()).toEqual([`${'x'.repeat(995)}*****`]);
  expect(reader.tail()).toHaveLength(1_000);
});

it('bounds the lines and the characters of a minute, and reports how many it left out', () => {
  const { write, clock, lines } = stderr();
  write('a\n'.repeat(500));
  expect(lines).toHaveLength(100);
  clock.nowMs = 60_000;
  write(`${'b'.repeat(900)}\n`.repeat(100));
  const warnings = lines.filter(({ level }) => level === 'warn');
  expect(warnings).toEqual([
    { server: 's', level: 'warn', text: '400 lines were omitted, because the server writes too many.' },
  ]);
  expect(lines.filter(({ text }) => text.startsWith('b'))).toHaveLength(36);
});

it('keeps the last lines for an error', () => {
  const { write, reader } = stderr();
  write(Array.from({ length: 300 }, (_, number) => `${number}\n`).join(''));
  expect(reader.tail()).toBe('295\n296\n297\n298\n299');
});
