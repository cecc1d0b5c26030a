/** Owns what the tests of models share: each real provider of the AI SDK, pointed at a scripted server. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { GenerateModel } from './generate-options.ts';
import { openAICompatible } from './open-ai-compatible.ts';

/** Where a scripted server speaks each wire. */
export interface ServerUrls {
  readonly anthropicUrl: string;
  readonly openaiUrl: string;
  readonly geminiUrl: string;
}

/** Makes a model of a server. */
export type MakeModel = (server: ServerUrls) => GenerateModel;

const apiKey = 'test';

/** One model of each wire. */
export const MODELS: Readonly<Record<string, MakeModel>> = {
  anthropic: (server) =>
    createAnthropic({ baseURL: `${server.anthropicUrl}/v1`, apiKey })('claude-sonnet-4-5'),
  'openai responses': (server) => createOpenAI({ baseURL: server.openaiUrl, apiKey }).responses('gpt-5'),
  'openai chat': (server) => createOpenAI({ baseURL: server.openaiUrl, apiKey }).chat('gpt-5'),
  google: (server) => createGoogle({ baseURL: `${server.geminiUrl}/v1beta`, apiKey })('gemini-2.5-flash'),
  'openai compatible': (server) => openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }),
};
