/**
 * Tests of the wire with other clients of OpenAI's APIs, which do not know that it is not OpenAI.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  tool as agentTool,
} from '@openai/agents';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startWire, submit, type Wire } from './start-wire.ts';

const City = z.object({ name: z.string(), people: z.int() });
const oslo = { name: 'Oslo', people: 717_710 };
const prompt = 'Which city?';
/** Writes text, submits an invalid answer, then calls a function if there is one, and answers. */
const STUMBLING = [reply.text('It is Oslo.'), submit({ name: 'Oslo' }), submit(oslo)];
const LOOKING = [reply.tool('look', { place: 'north' }), submit(oslo)];

describe.each([
  [
    '@ai-sdk/openai-compatible',
    ({ url }: Wire) =>
      createOpenAICompatible({
        name: 'truecast',
        baseURL: `${url}/v1`,
        apiKey: 'test',
        supportsStructuredOutputs: true,
      })('test'),
  ],
  [
    '@ai-sdk/openai (responses)',
    ({ url }: Wire) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'test' })('test'),
  ],
  [
    '@ai-sdk/openai (chat)',
    ({ url }: Wire) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'test' }).chat('test'),
  ],
])('the AI SDK with %s', (_name, modelOf) => {
  it('generates an object', async () => {
    await using wire = await startWire({ script: STUMBLING });
    const { output, usage } = await generateText({
      model: modelOf(wire),
      prompt,
      output: Output.object({ schema: City }),
    });
    expect(output).toEqual(oslo);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it('streams an object', async () => {
    await using wire = await startWire({ script: STUMBLING });
    const result = streamText({ model: modelOf(wire), prompt, output: Output.object({ schema: City }) });
    expect(await result.output).toEqual(oslo);
  });

  it('streams text', async () => {
    await using wire = await startWire({ script: [reply.text('Oslo is in Norway.', { chunkChars: 4 })] });
    const result = streamText({ model: modelOf(wire), prompt });
    const deltas: string[] = [];
    for await (const delta of result.textStream) deltas.push(delta);
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join('')).toBe('Oslo is in Norway.');
  });

  it('runs its tools, and ends with an object', async () => {
    await using wire = await startWire({ script: LOOKING });
    const { output, steps } = await generateText({
      model: modelOf(wire),
      prompt,
      tools: {
        look: tool({
          description: 'Looks.',
          inputSchema: z.object({ place: z.string() }),
          execute: ({ place }) => `Oslo is in the ${place}.`,
        }),
      },
      stopWhen: stepCountIs(4),
      output: Output.object({ schema: City }),
    });
    expect(output).toEqual(oslo);
    expect(steps).toHaveLength(2);
    expect(wire.upstream.turns[1]?.lastToolResult?.text).toContain('Oslo is in the north.');
    expect(wire.upstream.failures).toEqual([]);
  });
});

describe.each([
  ['chat completions', false],
  ['responses', true],
])('LangChain by %s', (_name, useResponsesApi) => {
  const modelOf = ({ url }: Wire): ChatOpenAI =>
    new ChatOpenAI({
      model: 'test',
      apiKey: 'test',
      useResponsesApi,
      maxRetries: 0,
      configuration: { baseURL: `${url}/v1` },
    });

  it.each(['jsonSchema', 'functionCalling', 'jsonMode'] as const)(
    'returns structured output with %s',
    async (method) => {
      const script = method === 'functionCalling' ? [reply.tool('city', oslo)] : STUMBLING;
      await using wire = await startWire({
        script: method === 'jsonMode' ? [reply.text('Oslo.'), submit(oslo)] : script,
      });
      const structured = modelOf(wire).withStructuredOutput(City, { name: 'city', method });
      expect(await structured.invoke(prompt)).toEqual(oslo);
      expect(wire.upstream.failures).toEqual([]);
    },
  );

  it('returns calls of its tools', async () => {
    await using wire = await startWire({ script: LOOKING });
    const bound = modelOf(wire).bindTools([
      {
        type: 'function',
        function: {
          name: 'look',
          description: 'Looks.',
          parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
        },
      },
    ]);
    const message = await bound.invoke(prompt);
    expect(message.tool_calls).toMatchObject([{ name: 'look', args: { place: 'north' } }]);
  });

  it('streams text', async () => {
    await using wire = await startWire({ script: [reply.text('Oslo is in Norway.', { chunkChars: 4 })] });
    let text = '';
    for await (const chunk of await modelOf(wire).stream(prompt)) text += chunk.text;
    expect(text).toBe('Oslo is in Norway.');
  });
});

describe.each([
  ['chat completions', OpenAIChatCompletionsModel],
  ['responses', OpenAIResponsesModel],
])('the Agents SDK by %s', (_name, Model) => {
  const runner = new Runner({ tracingDisabled: true });
  const look = agentTool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ place: z.string() }),
    execute: ({ place }) => `Oslo is in the ${place}.`,
  });

  it.each([false, true])('runs an agent with an output type and a tool; streamed: %s', async (stream) => {
    await using wire = await startWire({ script: LOOKING });
    const agent = new Agent({
      name: 'Finder',
      instructions: 'Find the city.',
      model: new Model(wire.client, 'test'),
      outputType: City,
      tools: [look],
    });
    if (stream) {
      const result = await runner.run(agent, prompt, { stream });
      await result.completed;
      expect(result.finalOutput).toEqual(oslo);
    } else {
      expect((await runner.run(agent, prompt)).finalOutput).toEqual(oslo);
    }
    expect(wire.upstream.turns[1]?.lastToolResult?.text).toContain('Oslo is in the north.');
    expect(wire.upstream.failures).toEqual([]);
  });
});
