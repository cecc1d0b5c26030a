/**
 * Output of commands: it contains no terminal control characters, and JSON results keep their
 * value.
 */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { printResult, printText, tell } from './print.ts';

const STEERING =
  '\u001B]52;c;cHduZWQ=\u0007\u001B]0;title\u0007\u001B[2Ja\u009B31mb\r\u202Ec\u200Bd\u{E0041}';
const OBEYED = /[^\P{Cc}\n\t]|\p{Cf}/u;

it('writes lines and text in which a terminal obeys nothing, and keeps lines, tabs and spaces', () => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  tell(`truecast: ${STEERING}\n  next\tline`, { stdout, stderr });
  printText(`a  b\n${STEERING}`, { stdout, stderr });
  const told = String(stderr.read());
  const printed = String(stdout.read());
  expect(told).not.toMatch(OBEYED);
  expect(printed).not.toMatch(OBEYED);
  expect(told).toContain('\n  next\tline\n');
  expect(printed).toContain('a  b\n');
});

it('writes a result as JSON that steers nothing and parses to the same value', async () => {
  const stdout = new PassThrough();
  const value = { [STEERING]: [STEERING] };
  await printResult(value, { stdout, stderr: new PassThrough() });
  const printed = String(stdout.read());
  expect(printed).not.toMatch(OBEYED);
  const parsed: unknown = JSON.parse(printed);
  expect(parsed).toEqual(value);
});

it('makes the log and local addresses links in a terminal, with the same text', () => {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  tell('Log: /tmp/a b.log', { stdout, stderr });
  tell('Serving at http://127.0.0.1:4747/#token=x. Read https://elsewhere.test.', { stdout, stderr });
  const told = String(stderr.read());
  const link = (address: string, text: string): string =>
    `\u001B]8;;${address}\u001B\\${text}\u001B]8;;\u001B\\`;
  expect(told).toBe(
    `Log: ${link('file:///tmp/a', '/tmp/a')} b.log\nServing at ${link('http://127.0.0.1:4747/#token=x', 'http://127.0.0.1:4747/#token=x')}. Read https://elsewhere.test.\n`,
  );
  tell('Log: /tmp/a.log', { stdout, stderr: stdout });
  expect(String(stdout.read())).toBe('Log: /tmp/a.log\n');
});
