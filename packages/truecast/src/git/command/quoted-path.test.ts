import { expect, it } from 'vitest';
import { unquotePath } from './quoted-path.ts';

it.each([
  ['a/b.txt', 'a/b.txt'],
  ['"caf\\351"', 'caf\u00E9'],
  ['"a\\tb\\n\\033[2J\\"\\\\x"', 'a\tb\n\u001B[2J"\\x'],
  ['"\\303\\251"', '\u00C3\u00A9'],
])('returns the bytes of %s', (quoted, bytes) => {
  expect(unquotePath(quoted)).toBe(bytes);
});
