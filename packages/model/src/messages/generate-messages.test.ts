import { expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import type { GenerateMessage } from './generate-messages.ts';

const output = Output.json({});

async function ask(messages: unknown): Promise<number> {
  await using server = await scriptedModelServer({ script: () => reply.text('{"n":1}') });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  try {
    await generate({ model, messages: messages as GenerateMessage[], output });
  } catch (error) {
    if (UsageError.isInstance(error)) expect(server.turns).toEqual([]);
    throw error;
  }
  return server.turns.length;
}

it('sends messages with each supported part', async () => {
  const call = { toolCallId: 'c1', toolName: 'look' };
  const messages = [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image: Uint8Array.from([137, 80, 78, 71]), mediaType: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', ...call, input: {} },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'A cat.' } }] },
  ];
  expect(await ask(messages)).toBe(1);
});

it.each<[title: string, messages: unknown, told: RegExp]>([
  ['no array', 'hello', /`messages` to be an array, got `"hello"`/u],
  ['no message', [], /contain a message, got none/u],
  ['null', [null], /`messages\[0\]\.role` to be one of system, user, assistant, tool/u],
  ['a role of another service', [{ role: 'developer', content: 'x' }], /got `"developer"`/u],
  ['an inherited name as a role', [{ role: 'toString', content: 'x' }], /got `"toString"`/u],
  ['a message of a page', [{ id: 'm', role: 'user', parts: [] }], /convertToModelMessages\(messages\)/u],
  ['no content', [{ role: 'user' }], /`messages\[0\]\.content` to be a string or an array/u],
  ['parts of the system', [{ role: 'system', content: [] }], /content` to be a string, got/u],
  ['text of a tool', [{ role: 'tool', content: 'x' }], /content` to be an array, got `"x"`/u],
  [
    'a part without a type',
    [{ role: 'user', content: [{ text: 'x' }] }],
    /`messages\[0\]\.content\[0\]\.type` to be one of text, image, file/u,
  ],
  [
    'an approval',
    [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }] },
    ],
    /`messages\[1\]\.content\[0\]\.type`.*got `"tool-approval-request"`/u,
  ],
  [
    'a part of one provider',
    [{ role: 'assistant', content: [{ type: 'custom', kind: 'a.b' }] }],
    /got `"custom"`.*Leave the part out/u,
  ],
])('refuses %s before any request', async (_title, messages, told) => {
  await expect(ask(messages)).rejects.toThrow(told);
  await expect(ask(messages)).rejects.toBeInstanceOf(UsageError);
});
