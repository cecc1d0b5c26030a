/** Tests of the command in printed lines. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_COMMAND } from './own-command.ts';

const SOURCES = join(import.meta.dirname, '..');

it('names the script of a clone', () => {
  expect(OWN_COMMAND).toBe('npm run -s truecast --');
});

it('begins every line to copy, because `truecast` is on no PATH', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'));
  // The help of the command keeps its short name, and `truecast has …` is a sentence about the package.
  const lines = files
    .filter((file) => file !== 'program.ts')
    .flatMap((file) => readFileSync(join(SOURCES, file), 'utf8').split('\n'))
    .filter(
      (line) =>
        /(?:: (?:\\\\`|`)?|`  )truecast (?!has )[a-z]/u.test(line) && !/^\s*(?:\/?\*|\/\/)/u.test(line),
    );
  expect(lines).toEqual([]);
});
