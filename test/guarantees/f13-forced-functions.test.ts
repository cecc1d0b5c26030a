/** Tests of F13: a forced function with wrong arguments, and one of an engine that drops tools. */
import { expect } from 'vitest';
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { startServer } from './routes/server.ts';

const ORDER = z.strictObject({ customer: z.string(), state: z.enum(['open', 'paid']) });
const RIGHT = { customer: 'a', state: 'paid' };

const completionSchema = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        tool_calls: z.array(
          z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
        ),
      }),
    }),
  ),
});

async function forceOrder(script: ModelScript): Promise<readonly unknown[]> {
  await using service = await scriptedModelServer({ localServer: 'llama.cpp', script });
  await using server = await startServer({ serviceUrl: service.openaiUrl });
  const { json } = await server.ask('/v1/chat/completions', {
    model: 'local:m',
    messages: [{ role: 'user', content: 'Who paid?' }],
    tools: [{ type: 'function', function: { name: 'order', parameters: z.toJSONSchema(ORDER) } }],
    tool_choice: { type: 'function', function: { name: 'order' } },
  });
  const [call] = completionSchema.parse(json).choices[0]?.message.tool_calls ?? [];
  const args: unknown = JSON.parse(call?.function.arguments ?? 'null');
  return [call?.function.name, args];
}

declareGuarantee('F13', {
  wire: async () => {
    const stumbling: ModelScript = ({ turnIndex, tools }) => {
      const args = turnIndex === 0 ? { customer: 5 } : RIGHT;
      return tools.length > 0 ? reply.tool('order', args) : reply.json(args);
    };
    expect(await forceOrder(stumbling)).toEqual(['order', RIGHT]);
    const withoutTools: ModelScript = ({ jsonSchema }) =>
      jsonSchema === undefined ? reply.text('I would like to help.') : reply.json(RIGHT);
    expect(await forceOrder(withoutTools)).toEqual(['order', RIGHT]);
  },
});
