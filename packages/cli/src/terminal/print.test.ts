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
