import { describe, expect, it } from 'vitest';
import { Output } from '@truecast/core/internal/output/output';
import { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/safe-extract-result';
import { claudeCode } from '../../agents/claude-code/claude-code.ts';
import { createAnswerFinder } from './find-answer.ts';

const agent = claudeCode();
const native = lowerJsonSchema({ type: 'object' }, 'claude-code');

function answerOf(line: string): Promise<SafeExtractResult<unknown>> {
  const end = agent.createStreamParser().push(`${line}\n`).at(-1);
  if (end?.type !== 'end') throw new TypeError(`not an end: ${JSON.stringify(end)}`);
  const turn = { resultText: '', hasEnded: true, endValue: end.value, endValueText: end.valueText };
  return createAnswerFinder(Output.json({}), { agent, native }).finish(turn);
}

describe('a native answer', () => {
  it('has the text that the agent wrote as its raw text', async () => {
    const written = '{ "b": 1.50, "a": "\\u00e9" }';
    expect(
      await answerOf(`{"type":"result","subtype":"success","structured_output":${written}}`),
    ).toMatchObject({ success: true, value: { a: 'é', b: 1.5 }, provenance: { raw: written } });
  });

  it('is refused for what its parsed value would hide', async () => {
    const answers = ['{"n":9007199254740993}', '{"n":1,"n":2}', '{"__proto__":{"n":1}}'];
    for (const written of answers)
      expect(
        await answerOf(`{"type":"result","subtype":"success","structured_output":${written}}`),
      ).toMatchObject({ success: false, error: { rawMatched: written } });
  });
});
