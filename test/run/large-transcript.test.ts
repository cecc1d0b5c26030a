import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bundledHost } from '../bundled-host.ts';
import { matrixRuns } from '../matrix.ts';
import { answerOutput, makeRepository, PRINT_ANSWER, runOptions, temporaryFolder } from './fixture.ts';

const HOST: string = await bundledHost(new URL('large-transcript-host.ts', import.meta.url));
const MEBIBYTE = 1024 * 1024;
/** Without bounds, V8 lets garbage grow before it collects any. What a run needs is then invisible. */
const SMALL_HEAP = ['--max-semi-space-size=1', '--max-old-space-size=44'];

/** Size of the text before the answer, and after it: twice what a run keeps, or more. */
const AROUND_MB = matrixRuns(8, 100);
/** A run that keeps the transcript needs more than 60 MB for it. */
const WHOLE_MB = matrixRuns(75, 100);

it(`an answer costs nothing in memory or time for a transcript of ${2 * AROUND_MB} MB around it`, async () => {
  const fill = (letter: string): string => `head -c ${AROUND_MB}000000 /dev/zero | tr '\\0' '${letter}'`;
  const script = `${fill('x')}; ${PRINT_ANSWER}; ${fill('y')}`;
  const result = await run({ ...runOptions(script), output: answerOutput });
  expect(result.output.answer).toBe(42);
  expect(result.text.length).toBeLessThanOrEqual(4 * MEBIBYTE);
});

it(`a transcript of ${WHOLE_MB} MB needs at most 60 MB`, async () => {
  const log = join(temporaryFolder(), 'run.log');
  const script = `yes 'a line of about forty characters, as usual' | head -c ${WHOLE_MB}000000`;
  const { stdout } = await execa(process.execPath, [...SMALL_HEAP, HOST, makeRepository(), log, script]);
  const { grownBytes, chars } = JSON.parse(stdout) as { grownBytes: number; chars: number };
  expect(chars).toBe(4 * MEBIBYTE);
  expect(grownBytes / MEBIBYTE).toBeLessThan(60);
});
