/** Demo model of a server without keys: echoes text, and answers a schema with a valid sample. */
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { FINALIZER_KEY, FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ChatModel } from '../models/chat-model.ts';
import { compatibleModel } from '../models/resolve-model.ts';
import { reply, scriptedModelServer, type ScriptedReply, type ScriptedTurn } from '@truecast/model/testing';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';

/** Its wire name. */
export const SCRIPTED_MODEL = 'scripted:demo';

/** The model and its cleanup. */
export interface ScriptedChatModel {
  readonly model: ChatModel;
  close(): Promise<void>;
}

/** Starts it: a loopback model service, called through the real provider. */
export async function startScriptedModel(): Promise<ScriptedChatModel> {
  const server = await scriptedModelServer({ script: answer });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  return {
    model: { id: SCRIPTED_MODEL, ...compatibleModel(model) },
    close: async () => server.close(),
  };
}

function answer({ tools, jsonSchema, userText }: ScriptedTurn): ScriptedReply {
  const finalizer = tools.find(({ name }) => name === FINALIZER_NAME);
  if (finalizer !== undefined) return reply.tool(FINALIZER_NAME, submission(finalizer.inputSchema));
  if (jsonSchema !== undefined) return reply.json(sampleValue(jsonSchema));
  return reply.text(`No model is connected, so this is an echo: ${userText}`);
}

function submission(inputSchema: unknown): Readonly<Record<string, ReturnType<typeof sampleValue>>> {
  const sampled = sampleValue(inputSchema);
  return typeof sampled === 'object' && sampled !== null && !Array.isArray(sampled)
    ? sampled
    : { [FINALIZER_KEY]: sampled };
}
