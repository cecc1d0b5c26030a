/** Shared test fixtures: each real AI SDK provider, connected to a scripted server. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { GenerateModel } from './call/generate-options.ts';
import { openAICompatible } from './open-ai-compatible.ts';

/** URLs of a scripted server, by wire format. */
export interface ServerUrls {
  readonly anthropicUrl: string;
  readonly openaiUrl: string;
  readonly geminiUrl: string;
}

export type MakeModel = (server: ServerUrls) => GenerateModel;

const apiKey = 'test';

/** One model per wire format. */
export const MODELS: Readonly<Record<string, MakeModel>> = {
  anthropic: (server) =>
    createAnthropic({ baseURL: `${server.anthropicUrl}/v1`, apiKey })('claude-sonnet-4-5'),
  'openai responses': (server) => createOpenAI({ baseURL: server.openaiUrl, apiKey }).responses('gpt-5'),
  'openai chat': (server) => createOpenAI({ baseURL: server.openaiUrl, apiKey }).chat('gpt-5'),
  google: (server) => createGoogle({ baseURL: `${server.geminiUrl}/v1beta`, apiKey })('gemini-2.5-flash'),
  'openai compatible': (server) => openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }),
};
