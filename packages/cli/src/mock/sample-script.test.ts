import { describe, expect, it } from 'vitest';
import { instructionsFor } from '@truecast/core/internal/output/definition/instructions';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { scriptedModelServer } from '@truecast/model/testing';
import { sampleScript } from './sample-script.ts';

/** Its limits are those that a sample by the type alone breaks. */
const schema = {
  type: 'object',
  properties: {
    code: { type: 'string', pattern: '^E[0-9]{4}$' },
    title: { type: 'string', minLength: 12 },
    lines: { type: 'array', items: { type: 'integer', minimum: 10 }, minItems: 2, uniqueItems: true },
    kind: { enum: ['bug', 'feature'] },
  },
  required: ['code', 'title', 'lines', 'kind'],
  additionalProperties: false,
} as const;

async function answerOf(body: object): Promise<string> {
  await using server = await scriptedModelServer({ script: sampleScript(0) });
  const response = await fetch(`${server.openaiUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mock', ...body }),
  });
  const { choices } = (await response.json()) as {
    choices: { message: { content: string | null; tool_calls?: { function: { arguments: string } }[] } }[];
  };
  const message = choices[0]?.message;
  return message?.tool_calls?.[0]?.function.arguments ?? message?.content ?? '';
}

describe('the sample of truecast mock', () => {
  const user = (content: string) => [{ role: 'user', content }];

  it.each([
    [
      'in the instruction of a prompt',
      () =>
        answerOf({
          messages: user(
            `Do it.\n\n${instructionsFor(Output.object({ tag: 'result', schema: jsonSchema.unchecked(schema) }))}`,
          ),
        }),
    ],
    [
      'of a response format',
      () =>
        answerOf({
          messages: user('Do it.'),
          response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
        }),
    ],
    [
      'of the submission tool',
      () =>
        answerOf({
          messages: user('Do it.'),
          tools: [{ type: 'function', function: { name: 'submit_structured_output', parameters: schema } }],
        }),
    ],
  ])('fits the whole schema %s', async (_, ask) => {
    const answer = (await ask()).replaceAll(/<\/?result>/gu, '');
    const result = await jsonSchema.unchecked(schema)['~standard'].validate(JSON.parse(answer));
    expect(result.issues, answer).toBeUndefined();
  });

  it('echoes no tag of a prompt without a schema, and says what is missing', async () => {
    const answer = await answerOf({ messages: user('Fix it. Answer in <bug> and </bug>.') });
    expect(answer).toContain('You said: Fix it. Answer in `bug` and `bug`.');
    expect(answer).toContain('add `Output.instructions(output)`');
    expect(answer).not.toMatch(/<\/?bug>/u);
  });

  it.each([
    ['{"line":7}', '{"line":8}'],
    ['[true]', '[false]'],
    ['{"a":null,"b":["x"]}', '{"a":null,"b":["x (sample)"]}'],
    ['null', '"sample"'],
  ])('never echoes the example of a prompt as an answer: %s', async (example, other) => {
    const asked = user(`Find it. Answer like <bug>${example}</bug>.`);
    expect(await answerOf({ messages: asked })).toBe(`<bug>${other}</bug>`);
  });

  it('never echoes the sample of our own instruction', async () => {
    const output = Output.object({ tag: 'result', schema: jsonSchema.unchecked(schema) });
    const instruction = instructionsFor(output);
    const answer = await answerOf({ messages: user(`Do it.\n\n${instruction}`) });
    expect(instruction).not.toContain(answer);
  });
});
