import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inFlagWords, PROGRAM_ADVICE } from './flag-words.ts';

const PACKAGES = join(import.meta.dirname, '../../..');
const text = globSync('{cli,core,model,host,truecast}/src/**/*.ts', { cwd: PACKAGES })
  .filter((path) => !path.includes('.test') && !path.endsWith('flag-words.ts'))
  .map((path) => readFileSync(join(PACKAGES, path), 'utf8').replaceAll(/\\([`'])/gu, '$1'))
  .join('\n');

it.each([
  ['Set `retry`.', 'Set `--retry`.'],
  ['Set `mode: \'mcp\'` or `mode: "native"`.', 'Set `--mode mcp` or `--mode native`.'],
  [
    'Use `codex()` in `podman()`, or `command()`.',
    'Use `--agent codex` in `--sandbox podman`, or `--agent command:LINE`.',
  ],
  ['Call `run()` with `Output.instructions(output)`.', 'Call `truecast run` with `truecast instructions`.'],
  ['Set `egress` or `toString`.', 'Set `egress` or `toString`.'],
  [
    'Expected `maxCorrections` to be 0 or more, got `-1` (number).',
    'Expected `--max-corrections` to be 0 or more, got `-1`.',
  ],
])('shows %s as typed on the command line', (message, shown) => {
  expect(inFlagWords(message, ['--retry', '--mode', '--max-corrections'])).toBe(shown);
});

it.each(PROGRAM_ADVICE)('a message of the library still contains: %s', (phrase) => {
  expect(text).toContain(phrase.trim());
});
