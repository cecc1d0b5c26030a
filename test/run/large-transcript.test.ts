import { expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { answerOutput, PRINT_ANSWER, runOptions } from './fixture.ts';

it('an answer costs nothing in memory or time for a transcript of 200 MB around it', async () => {
  const script = `head -c 100000000 /dev/zero | tr '\\0' 'x'; ${PRINT_ANSWER}; head -c 100000000 /dev/zero | tr '\\0' 'y'`;
  const result = await run({ ...runOptions(script), output: answerOutput });
  expect(result.output.answer).toBe(42);
  expect(result.text.length).toBeLessThanOrEqual(8 * 1024 * 1024);
});
