import { execaSync } from 'execa';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertCommandFits, joinCommand, quoteArgument } from './shell-quote.ts';

test.each([
  ['claude-opus-4-8', 'claude-opus-4-8'],
  ['', "''"],
  ["it's", String.raw`'it'\''s'`],
  ['a b', "'a b'"],
  ['$HOME', "'$HOME'"],
  ['~', "'~'"],
  ['NAME=value', "'NAME=value'"],
  ['if', "'if'"],
  ['näme', "'näme'"],
])('quotes %j as %s', (argument, expected) => {
  expect(quoteArgument(argument)).toBe(expected);
});

test('a real shell gives back every argument as it was', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('a', "'", '"', '\\', '$', '`', '\n', '!', '*', ' ', '~', 'é', '-'),
  });
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (args) => {
      const { stdout } = execaSync('sh', ['-c', joinCommand(['printf', String.raw`%s\0`, ...args])], {
        stripFinalNewline: false,
      });
      expect(stdout.split('\0').slice(0, -1)).toEqual(args);
    }),
    { numRuns: 40 },
  );
});

test('refuses a NUL, which no argument can hold', () => {
  expect(() => quoteArgument('a\0b')).toThrow(UsageError);
});

test('refuses a command longer than the system takes, counted in bytes', () => {
  expect(assertCommandFits('x'.repeat(120 * 1024))).toHaveLength(120 * 1024);
  expect(() => assertCommandFits('é'.repeat(61 * 1024))).toThrow(/at most 122880 bytes, got 124928/);
});
