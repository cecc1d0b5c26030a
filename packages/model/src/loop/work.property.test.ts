/** Any sequence of replies ends within the steps, with an answer or a reason, and each call has one result. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { Output } from '@truecast/core/internal/output/output';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { GenerateModel } from '../call/generate-options.ts';
import { generate } from '../generate.ts';
import type { GenerateTools } from '../tools/generate-tool.ts';
import { ANSWER, RIGHT_DEGREES, SUBMIT, TOOLS } from '../../../../test/answers/tool-cases.ts';

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
}

interface Prompt {
  readonly prompt: readonly { readonly role: string; readonly content: string | readonly Part[] }[];
}

type Call = readonly [name: string, input: string];

/** One reply: its calls, its text, and how it ends. */
interface Reply {
  readonly calls: readonly Call[];
  readonly text: string;
  readonly finish: string;
}

const call: fc.Arbitrary<Call> = fc.constantFrom<Call>(
  ['getTemperature', '{"city":"Oslo"}'],
  ['getTemperature', '{"city":7}'],
  ['getTemperature', '{"city":"Os'],
  ['getTime', '{}'],
  ['fail', '{}'],
  ['invented', '{"a":1}'],
  [SUBMIT, JSON.stringify({ output: RIGHT_DEGREES })],
  [SUBMIT, '{"output":{"city":1}}'],
  [SUBMIT, '{"output":'],
);

const replies: fc.Arbitrary<readonly Reply[]> = fc.array(
  fc.record({
    calls: fc.array(call, { maxLength: 3 }),
    text: fc.constantFrom('', 'It is cold.', '{"city":"Oslo"}', JSON.stringify(RIGHT_DEGREES)),
    finish: fc.constantFrom('stop', 'stop', 'stop', 'length', 'content-filter'),
  }),
  { minLength: 1, maxLength: 12 },
);

/** A model without a service: it repeats its replies, and checks each prompt. */
function modelOf(script: readonly Reply[], prompts: Prompt[]): GenerateModel {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return {
    specificationVersion: 'v4',
    provider: 'played',
    modelId: 'played',
    doStream: () => Promise.reject(new Error('not streamed')),
    doGenerate: (asked: Prompt) => {
      prompts.push(asked);
      const { calls = [], text = '', finish = 'stop' } = script[(prompts.length - 1) % script.length] ?? {};
      const content = [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(([toolName, input], index) => ({
          type: 'tool-call',
          toolCallId: `${prompts.length}.${index}`,
          toolName,
          input,
        })),
      ];
      return Promise.resolve({
        content,
        finishReason: { unified: finish, raw: finish },
        usage,
        warnings: [],
      });
    },
  };
}

/** Ids of parts of a prompt, in order. */
function idsOf({ prompt }: Prompt, type: string): readonly (string | undefined)[] {
  return prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId),
  );
}

const { hang: _hang, ...others } = TOOLS;
const tools: GenerateTools = others;

it('ends within its steps, with one result for each call that goes back', async () => {
  await fc.assert(
    fc.asyncProperty(replies, fc.integer({ min: 1, max: 9 }), async (script, maxSteps) => {
      const prompts: Prompt[] = [];
      const ended: unknown = await generate({
        model: modelOf(script, prompts),
        prompt: 'How cold is it?',
        output: Output.object({ schema: ANSWER }),
        tools,
        maxSteps,
      }).catch((error: unknown) => error);
      expect(prompts.length).toBeLessThanOrEqual(maxSteps);
      if (StructuredOutputError.isInstance(ended)) {
        expect(ended.reason).toMatch(
          /^(?:text_only|validation_exhausted|step_budget|empty_response|refused|truncated|unknown_tool)$/u,
        );
        expect(ended.steps).toHaveLength(prompts.length);
      } else {
        expect(ended).toMatchObject({ output: RIGHT_DEGREES });
      }
      for (const prompt of prompts) {
        expect(idsOf(prompt, 'tool-result')).toEqual(idsOf(prompt, 'tool-call'));
      }
    }),
    { numRuns: matrixRuns(30, 150) },
  );
});
