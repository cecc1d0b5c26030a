/** Models for web search tests: one of each provider with such a tool, on a scripted server. */
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import { resolveModel } from '../../packages/server/src/models/resolve-model.ts';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';

/** Their ids. */
export const WEB_SEARCHING: readonly string[] = [
  'anthropic:claude-sonnet-4-5',
  'openai:gpt-5',
  'google:gemini-3.8-flash',
];

/** Creates such a model as a server's configuration does. */
export function webSearching(id: string): (server: ScriptedModelServer) => Promise<ChatModel> {
  return (server) =>
    resolveModel(
      id,
      {
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: server.anthropicUrl,
        OPENAI_API_KEY: 'k',
        OPENAI_BASE_URL: server.openaiUrl,
        GOOGLE_GENERATIVE_AI_API_KEY: 'k',
        GOOGLE_GEMINI_BASE_URL: server.geminiUrl,
      },
      ['web_search'],
    );
}
