/** Baseline of the chat server: the model calls that a program would make itself. */
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { ENVELOPE_KEY } from '../../packages/core/src/schema/engine/embed-schema.ts';
import { jsonSchema, streamText, type ToolSet } from 'ai';
import OpenAI from 'openai';
import { CHAT_FORMAT, CHAT_PROMPT, CHAT_SCHEMA } from '../inputs/chat-answer.ts';

const SUBMISSION = {
  type: 'object',
  properties: { [ENVELOPE_KEY]: CHAT_SCHEMA },
  required: [ENVELOPE_KEY],
} as const;

/** A turn's call with only the AI SDK: a forced tool call, streamed. Returns its arguments. */
export function askBySdk(modelUrl: string): () => Promise<unknown> {
  const model = openAICompatible({ baseURL: modelUrl, model: 'scripted' });
  const tools: ToolSet = {
    [FINALIZER_NAME]: { inputSchema: jsonSchema(SUBMISSION as object) },
  };
  return async () => {
    const asked = streamText({
      // The SDK accepts only its own model types. Ours has only the fields that it needs.
      model: model as unknown as Parameters<typeof streamText>[0]['model'],
      prompt: CHAT_PROMPT,
      tools,
      toolChoice: 'required',
    });
    const [call] = await asked.toolCalls;
    const submitted: unknown = call?.input;
    const isObject = typeof submitted === 'object' && submitted !== null;
    return isObject ? (Reflect.get(submitted, ENVELOPE_KEY) as unknown) : undefined;
  };
}

/** One call of Chat Completions with the official client. Returns the value. */
export function askByOpenAI(baseURL: string, apiKey: string, name: string): () => Promise<unknown> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  return async () => {
    const completion = await client.chat.completions.parse({
      model: name,
      messages: [{ role: 'user', content: CHAT_PROMPT }],
      response_format: CHAT_FORMAT,
    });
    return completion.choices[0]?.message.parsed;
  };
}
