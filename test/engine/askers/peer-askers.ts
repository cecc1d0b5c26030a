/** Peers of the proof: the AI SDK, OpenAI's client and LangChain, as their documentation uses them. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, Output } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { FormCase } from '../form-cases.ts';
import { MAX_CALLS, MAX_TOKENS, NotExpressible, TEMPERATURE, type Asker, type AskedEngine } from './asker.ts';

/** In the order of the table. */
export const PEER_ASKERS: readonly Asker[] = [
  aiSdk('ai-sdk-3', 'AI SDK, `Output.object`, asked up to three times', MAX_CALLS),
  aiSdk('ai-sdk', 'AI SDK, `Output.object`, once', 1),
  {
    id: 'openai',
    title: "OpenAI's client, `parse`, once",
    open: (engine) => {
      const client = openAIClient(engine);
      const ask = (form: FormCase, seed: number): Promise<unknown> => parseOnce(client, engine, form, seed);
      return Promise.resolve({ ask });
    },
  },
  { id: 'langchain', title: 'LangChain, `withStructuredOutput`, once', open: openLangChain },
];

function aiSdk(id: string, title: string, calls: number): Asker {
  return {
    id,
    title,
    open: ({ url, model, apiKey, maxTokens = MAX_TOKENS }) => {
      const provider = createOpenAICompatible({
        name: 'engine',
        baseURL: url,
        ...(apiKey !== undefined && { apiKey }),
        supportsStructuredOutputs: true,
      });
      const ask = async (form: FormCase, seed: number): Promise<unknown> => {
        for (let call = 1; ; call += 1) {
          try {
            const { output } = await generateText({
              model: provider(model),
              prompt: form.prompt,
              output: Output.object({ schema: form.schema }),
              // A second call with the same seed would bring the same reply.
              seed: seed + (call - 1) * 1_000,
              temperature: TEMPERATURE,
              maxOutputTokens: maxTokens,
              maxRetries: 0,
            });
            return output;
          } catch (error) {
            if (call === calls) throw error;
          }
        }
      };
      return Promise.resolve({ ask });
    },
  };
}

/** A client that does not repeat failed requests: each call counts. */
export function openAIClient({ url, apiKey = 'none' }: Pick<AskedEngine, 'url' | 'apiKey'>): OpenAI {
  return new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
}

/** One request of the client, with its own helper for Zod. */
export async function parseOnce(
  client: OpenAI,
  { model, maxTokens = MAX_TOKENS }: Pick<AskedEngine, 'model' | 'maxTokens'>,
  { prompt, schema }: FormCase,
  seed: number,
): Promise<unknown> {
  const completion = await client.chat.completions.parse({
    model,
    messages: [{ role: 'user', content: prompt }],
    response_format: expressed(() => zodResponseFormat(schema, 'form')),
    temperature: TEMPERATURE,
    max_tokens: maxTokens,
    seed,
  });
  const value: unknown = completion.choices[0]?.message.parsed;
  if (value === undefined || value === null) throw new Error('The reply has no answer.');
  return value;
}

function openLangChain({
  url,
  model,
  apiKey = 'none',
  maxTokens = MAX_TOKENS,
}: AskedEngine): ReturnType<Asker['open']> {
  const ask = async ({ prompt, schema }: FormCase, seed: number): Promise<unknown> => {
    const chat = new ChatOpenAI({
      model,
      apiKey,
      configuration: { baseURL: url },
      temperature: TEMPERATURE,
      maxTokens,
      maxRetries: 0,
      modelKwargs: { seed },
    });
    const structured = expressed(() => chat.withStructuredOutput(schema, { method: 'jsonSchema' }));
    return structured.invoke(prompt);
  };
  return Promise.resolve({ ask });
}

/** The helpers for Zod refuse some schemas before they send anything. */
function expressed<TResult>(make: () => TResult): TResult {
  try {
    return make();
  } catch (error) {
    throw new NotExpressible(String(error));
  }
}
