import type { AssistantContent, ModelMessage, ToolCallPart, ToolResultPart } from 'ai';
import { tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicTool, type ProviderTools } from './provider-tools.ts';
import { takenBack } from './taken-back.ts';

const TOOLS: ProviderTools = { web_search: anthropicTool(tool({ inputSchema: z.object({}) })) };
const page = { type: 'web_search_result', url: 'https://cats.test/', title: 'Cats' };

const search = (toolCallId: string): ToolCallPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'web_search',
  input: {},
  providerExecuted: true,
});
const found = (toolCallId: string, value: object[] = [page]): ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'web_search',
  output: { type: 'json', value: JSON.parse(JSON.stringify(value)) },
});
const text = { type: 'text', text: 'So.' } as const;
const thought = { type: 'reasoning', text: 'Hm.' } as const;
const own = { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'look', input: {} } as const;
const looked: ModelMessage = {
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: 'toolu_1',
      toolName: 'look',
      output: { type: 'text', value: 'a cat' },
    },
  ],
};
const asked: ModelMessage = { role: 'user', content: 'More' };
const says = (...content: Exclude<AssistantContent, string>): ModelMessage => ({
  role: 'assistant',
  content,
});

const A = 'srvtoolu_a';

it.each<[string, ModelMessage[], ModelMessage[]]>([
  [
    'a search with its result',
    [says(search(A), found(A), text), asked],
    [says(search(A), found(A), text), asked],
  ],
  [
    'a search whose result came in a later message',
    [says(search(A)), says(found(A), text), asked],
    [says(search(A)), says(found(A), text), asked],
  ],
  ['a search that the provider goes on with', [asked, says(search(A))], [asked, says(search(A))]],
  [
    'such a search beside a call of ours that is answered',
    [asked, says(search(A), own), looked],
    [asked, says(search(A), own), looked],
  ],
  ['no search that was interrupted', [says(search(A), text), asked], [says(text), asked]],
  ['no message of which nothing but thoughts is left', [says(thought, search(A)), asked], [asked]],
  ['no result without its search', [says(found(A), text), asked], [says(text), asked]],
  [
    'nothing that another provider found',
    [says(search('ws_1'), found('ws_1'), text), asked],
    [says(text), asked],
  ],
  [
    'no result that the package cannot read again, nor its search',
    [says(search(A), found(A, [{ ...page, title: undefined }]), text), asked],
    [says(text), asked],
  ],
])('a prompt contains %s', (_name, messages, expected) => {
  expect(takenBack(messages, TOOLS)).toEqual(expected);
});

it('without such a tool a prompt contains no search, and is otherwise unchanged', () => {
  const messages = [
    asked,
    says(search(A), found(A), own),
    looked,
    { role: 'assistant' as const, content: 'So.' },
  ];
  expect(takenBack(messages)).toEqual([asked, says(own), looked, { role: 'assistant', content: 'So.' }]);
});
