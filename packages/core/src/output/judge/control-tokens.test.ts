import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../output.ts';
import { finalChannel, hermesArguments, withoutEndTokens } from '../candidates/control-tokens.ts';
import { judgeReply } from '../judge/drive.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const ANSWER = '{"moons":2}';

it.each([
  [
    `<|channel|>analysis<|message|>{"moons":1}<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
    'dropped-reasoning',
  ],
  [`<|channel|>final <|constrain|>json<|message|>${ANSWER}<|return|>`, 'dropped-reasoning'],
  [`${ANSWER}</s>`, 'dropped-end-token'],
  [`${ANSWER}<|eot_id|>`, 'dropped-end-token'],
  [`\`\`\`json\n${ANSWER}\n\`\`\`<|im_end|>\n`, 'dropped-end-token'],
  [`${ANSWER}<end_of_turn>\n<|endoftext|>`, 'dropped-end-token'],
  [`<think>two</think>${ANSWER}<|im_end|>`, 'dropped-reasoning'],
  [`<tool_call>\n{"name": "answer", "arguments": ${ANSWER}}\n</tool_call>`, 'read-tool-call'],
  [`<think>hm</think>\n<tool_call>{"name":"answer","arguments":{"output":${ANSWER}}}`, 'read-tool-call'],
])('finds the answer in %s', async (text, repair) => {
  const answer = await judgeReply({ text }, output, { mode: 'json' });
  expect(answer).toMatchObject({ success: true, output: { moons: 2 } });
  if (answer.success) expect(answer.provenance.repairs[0]).toEqual({ kind: repair, path: [] });
});

it.each([
  `<|channel|>analysis<|message|>${ANSWER}<|end|>`,
  `<tool_call>${ANSWER}</tool_call>`,
  `</s>${ANSWER}`,
  `${ANSWER} and more</s>`,
])('refuses %s', async (text) => {
  expect(await judgeReply({ text }, output, { mode: 'json' })).toMatchObject({
    success: false,
    error: { code: 'invalid-json' },
  });
});

it('keeps a token inside of a string', async () => {
  const text = '{"moons":2,"note":"</s>"}';
  const answer = await judgeReply({ text }, output, { mode: 'json' });
  expect(answer.success && answer.provenance.repairs).toEqual([]);
});

it('reads every digit of a call’s arguments', () => {
  expect(hermesArguments('<tool_call>{"arguments": {"n": 12345678901234567890}}</tool_call>')).toBe(
    '{"n": 12345678901234567890}',
  );
});

it('reads hostile texts in linear time', () => {
  const size = 1_000_000;
  expect(withoutEndTokens(`${' '.repeat(size)}x`)).toHaveLength(size + 1);
  expect(withoutEndTokens('</s>'.repeat(20))).toBe('');
  expect(withoutEndTokens('</s>'.repeat(size))).toHaveLength(4 * (size - 20));
  expect(finalChannel(`<|channel|>${'a'.repeat(size)}`)).toBeUndefined();
  expect(hermesArguments(`<tool_call>${' '.repeat(size)}`)).toBeUndefined();
});
