import { expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { judgeReply } from '@truecast/core/internal/output/judge/drive';
import { Output } from '@truecast/core/internal/output/output';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { lowerOutput } from '../options/choose-mode.ts';
import { executionRecordSchema } from './execution-record.ts';
import { restoreAnswer } from './restore-answer.ts';

const schema = z.object({ line: z.number(), why: z.string().optional() });
const object = Output.object({ tag: 'r', schema });
const native = lowerOutput(object, {
  lowerSchema: (given) => lowerJsonSchema(given, 'openai'),
  passes: 'flag',
  answersIn: 'value',
});
const inTag = (output: AnyOutputDefinition, text: string): Promise<SafeExtractResult<unknown>> => {
  const scanner = createTagScanner(output);
  scanner.push(text);
  return scanner.finish();
};
const inNative = (reply: Parameters<typeof judgeReply>[0]): Promise<SafeExtractResult<unknown>> =>
  judgeReply(reply, object, { mode: 'native', inverse: native.inverse });

const dates = Output.array({ tag: 'r', element: z.string().transform((text) => new Date(text)) });
const asking = Output.object({ tag: 'r', schema, question: true, decline: true });

it.each<[string, AnyOutputDefinition, Promise<SafeExtractResult<unknown>>]>([
  ['between tags', object, inTag(object, 'So: <r>{"line":1}</r>')],
  ['in a fence', object, inTag(object, '<r>\n```json\n{"line":1}\n```\n</r>')],
  ['that is a text', Output.string({ tag: 'r' }), inTag(Output.string({ tag: 'r' }), '<r> a < b & </r> ')],
  ['with a transform', dates, inTag(dates, '<r>["2026-01-02"]</r>')],
  ['that is a question', asking, inTag(asking, '<r>{"question":"Which?"}</r>')],
  ['that declines', asking, inTag(asking, '<r>{"declined":"No such file."}</r>')],
  ['of the schema mode', object, inNative({ text: '{"line":1,"why":null}', isParsedElsewhere: true })],
  [
    'of a call in the schema mode',
    object,
    inNative({ otherCall: { text: '{"line":1,"why":null}', isParsedElsewhere: true } }),
  ],
  [
    'of a call in an envelope',
    object,
    inNative({ otherCall: { text: '{"output":{"line":1,"why":null}}', isParsedElsewhere: true } }),
  ],
  [
    'of the tool',
    object,
    judgeReply({ submissions: [{ text: '{"output":{"line":1}}' }] }, object, { mode: 'mcp' }),
  ],
])('restores an answer %s', async (_name, output, judging) => {
  const judged = await judging;
  if (!judged.success) throw judged.error;
  const { provenance } = judged;
  const answer = { provenance, isTreeChecked: false };
  const record = { version: 1, id: 'a', asked: {}, phase: 'answered', executions: 1, iterations: [], answer };
  const stored = executionRecordSchema.parse(JSON.parse(JSON.stringify(record)));
  const schemaMode = provenance.mode === 'native' ? native : undefined;
  const restored = await restoreAnswer(stored.answer ?? { isTreeChecked: true }, output, schemaMode);
  expect(restored).toEqual({ value: judged.output, provenance, isTreeChecked: false });
});
