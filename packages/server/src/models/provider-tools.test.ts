import { tool, type ToolSet } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicTool, googleTool, openaiTool, type ProviderPart } from './provider-tools.ts';

const definition: ToolSet[string] = tool({ inputSchema: z.object({}) });
const TOOLS = {
  anthropic: anthropicTool(definition),
  openai: openaiTool(definition),
  google: googleTool(definition, 'gemini-3.8-flash'),
};

const call = (toolCallId: string): ProviderPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'web_search',
  input: {},
});

it.each<[string, ProviderPart]>([
  ['anthropic', call('srvtoolu_01')],
  ['openai', call('ws_01')],
  ['google', { ...call('01'), providerOptions: { google: { serverToolType: 'GOOGLE_SEARCH_WEB' } } }],
])('a search of %s is only used by that provider', (name, part) => {
  const owners = Object.entries(TOOLS).filter(([, { isOwn }]) => isOwn(part));
  expect(owners.map(([owner]) => owner)).toEqual([name]);
});
