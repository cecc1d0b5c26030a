import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { claudeCode } from '../../agents/claude-code/claude-code.ts';
import { codex } from '../../agents/codex/codex.ts';
import type { FinishedTurn } from '../finalizer/answer-finder.ts';
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
    ).toMatchObject({ success: true, output: { a: 'é', b: 1.5 }, provenance: { raw: written } });
  });

  it('is refused for what its parsed value would hide', async () => {
    const answers = ['{"n":9007199254740993}', '{"n":1,"n":2}', '{"__proto__":{"n":1}}'];
    for (const written of answers) {
      expect(
        await answerOf(`{"type":"result","subtype":"success","structured_output":${written}}`),
      ).toMatchObject({ success: false, error: { rawMatched: written } });
    }
  });
});

describe('an answer of an agent', () => {
  const schema = z.object({ n: z.number() });
  const finish = (turn: Partial<FinishedTurn>, by = agent): Promise<SafeExtractResult<unknown>> => {
    const finder = createAnswerFinder(Output.object({ schema }), { agent: by, native });
    return finder.finish({
      resultText: '',
      hasEnded: true,
      endValue: undefined,
      endValueText: undefined,
      ...turn,
    });
  };

  it('that only its call contains is judged and labelled', async () => {
    expect(await finish({ endValue: { n: 1 }, isFromCall: true })).toMatchObject({
      output: { n: 1 },
      provenance: { mode: 'native', repairs: [{ kind: 'answer-in-tool-call' }] },
    });
    expect(await finish({ endValue: { n: 'x' }, isFromCall: true })).toMatchObject({
      error: { code: 'schema-mismatch' },
    });
  });

  it('is no message before its last command', async () => {
    const message = { resultText: '{"n":1}' };
    expect(await finish(message, codex())).toMatchObject({ output: { n: 1 } });
    expect(await finish({ ...message, isWorkLast: true }, codex())).toMatchObject({
      error: { code: 'not-produced' },
    });
  });
});
