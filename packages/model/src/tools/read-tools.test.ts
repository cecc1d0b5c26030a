/** Tools and options that are refused by name, before any request. */
import { jsonSchema, tool, zodSchema } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { readTools } from './read-tools.ts';
import { runTool } from './run-tool.ts';

const inputSchema = z.object({});
const execute = (): number => 1;
const output = Output.object({ schema: z.object({ count: z.number() }) });

/** Without a type: as a program in JavaScript gives it. */
async function refusalOf(options: object): Promise<string> {
  await using server = await scriptedModelServer({ script: [] });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const given = { model, prompt: 'How many?', output, ...options } as Parameters<typeof generate>[0];
  const error: unknown = await generate(given).catch((thrown: unknown) => thrown);
  expect(server.requests).toEqual([]);
  if (!UsageError.isInstance(error)) throw error;
  return error.message;
}

it.each<[string, object, string]>([
  ['needsApproval', { inputSchema, execute, needsApproval: true }, '`tools.act.needsApproval`'],
  ['toModelOutput', { inputSchema, execute, toModelOutput: execute }, '`tools.act.toModelOutput`'],
  ['onInputStart', { inputSchema, execute, onInputStart: execute }, '`tools.act.onInputStart`'],
  ['contextSchema', { inputSchema, execute, contextSchema: inputSchema }, '`tools.act.contextSchema`'],
  ['a tool of the provider', { type: 'provider', id: 'a.b', args: {}, inputSchema }, '`tools.act`'],
  ['a generator', { inputSchema, execute: async function* () {} }, '`tools.act.execute` is a generator'],
  ['no execute', { inputSchema }, '`tools.act.execute` to be a function'],
  ['no schema', { execute }, '`tools.act.inputSchema` to be a Standard Schema'],
  [
    'a schema without JSON Schema',
    { inputSchema: z.object({ at: z.date() }), execute },
    '`tools.act.inputSchema`',
  ],
  ['a wrong time', { inputSchema, execute, timeoutMs: 0 }, '`tools.act.timeoutMs`'],
  ['a function as description', { inputSchema, execute, description: execute }, '`tools.act.description`'],
  ['a mistyped member', { inputSchema, execute, timeoutMS: 5 }, 'Did you mean `timeoutMs`'],
  ['no object', 7 as unknown as object, '`tools.act` to be a tool'],
])('refuses a tool with %s by its name', async (_, act, message) => {
  expect(await refusalOf({ tools: { act } })).toContain(message);
});

it.each<[string, object, string]>([
  [
    'the name of the answer tool',
    { tools: { submit_structured_output: { inputSchema, execute } } },
    'Rename',
  ],
  ['a name that services refuse', { tools: { 'a b': { inputSchema, execute } } }, 'tool name of 1 to 64'],
  ['tools that are no object', { tools: 'none' }, '`tools` to be an object'],
  ['lenient', { tools: {}, lenient: true }, '`lenient` is not supported with `tools`'],
  ['onPartial', { tools: {}, onPartial: execute }, '`onPartial` is not supported with `tools`'],
  ['another mode', { tools: {}, mode: 'native' }, "`mode: 'native'` is not supported with `tools`"],
  [
    'another mode of the output',
    { tools: {}, output: Output.object({ schema: z.object({}), mode: 'json' }) },
    "`mode: 'json'`",
  ],
  [
    'a tag',
    { tools: {}, output: Output.object({ tag: 'r', schema: z.object({}) }) },
    '`tag` is not supported',
  ],
  [
    'an answer that is text',
    { tools: {}, output: { ...Output.string({ tag: 'r' }), tag: undefined } },
    '`output` to have a JSON Schema',
  ],
  ['no steps', { tools: {}, maxSteps: 0 }, '`maxSteps` to be a whole number'],
  ['maxSteps without tools', { maxSteps: 3 }, 'Expected `tools` with `maxSteps`'],
  ['onStep without tools', { onStep: execute }, 'Expected `tools` with `onStep`'],
  ['an onStep that is no function', { tools: {}, onStep: 3 }, '`onStep` to be a function'],
  ['the word of the AI SDK', { tools: {}, stopWhen: execute }, 'maxSteps'],
])('refuses %s', async (_, options, message) => {
  expect(await refusalOf(options)).toContain(message);
});

it('reads each form of a schema, and validates with it', async () => {
  const add = ({ n }: { readonly n: number }): number => n + 1;
  const tools = await readTools({
    standard: { inputSchema: z.object({ n: z.number() }), execute: add },
    json: tool({
      inputSchema: jsonSchema<{ n: number }>({
        type: 'object',
        properties: { n: { type: 'number' } },
        required: ['n'],
      }),
      execute: add,
    }),
    zod: tool({ inputSchema: zodSchema(z.object({ n: z.number() })), execute: add, strict: true }),
    lazy: { inputSchema: () => zodSchema(z.object({ n: z.number() })), execute: add },
  });
  const context = { toolCallId: '1', signal: undefined, messages: [], mask: (text: string) => text };
  for (const each of tools.values()) {
    expect(each.inputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'number' } } });
    expect(await runTool(each, { n: 1 }, context)).toEqual({ text: '2', isError: false });
    const refused = await runTool(each, { n: 'one' }, context);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^The arguments of `\w+` do not fit its schema, so it did not run:\n- /u);
  }
  expect(tools.get('zod')?.passed).toEqual({ strict: true });
});

it('answers without tools as if there were none', async () => {
  await using server = await scriptedModelServer({
    script: [reply.tool('submit_structured_output', { output: { count: 2 } })],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const ended = await generate({ model, prompt: 'How many?', output, tools: {} });
  expect(ended).toMatchObject({ output: { count: 2 }, steps: [{ outcome: 'accepted' }] });
});
