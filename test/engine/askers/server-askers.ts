/** Askers through our server: OpenAI's client on `/v1`, forced functions, and messages of a chat. */
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type OpenAI from 'openai';
import { createClient } from '../../../packages/client/src/create-client.ts';
import { Output } from '../../../packages/core/src/output/output.ts';
import { parseJson } from '../../../packages/core/src/json/parse-json.ts';
import { createChatServer } from '../../../packages/server/src/serve/create-chat-server.ts';
import type { FormCase } from '../form-cases.ts';
import { jsonSchemaOf } from '../validators.ts';
import { MAX_CALLS, MAX_TOKENS, TEMPERATURE, type AskedEngine, type Asker, type OpenAsker } from './asker.ts';
import { openAIClient, parseOnce } from './peer-askers.ts';

const MODEL = 'engine';

/** In the order of the table. */
export const SERVER_ASKERS: readonly Asker[] = [
  {
    id: 'wire',
    title: "OpenAI's client, `parse`, through our `/v1`",
    open: (engine) =>
      served(
        engine,
        ({ client }) =>
          (form, seed) =>
            parseOnce(client, { ...engine, model: MODEL }, form, seed),
      ),
  },
  {
    id: 'function',
    title: "OpenAI's client, a forced function, through our `/v1`",
    open: (engine) =>
      served(
        engine,
        ({ client }) =>
          (form, seed) =>
            forceFunction(client, engine, { form, seed }),
      ),
  },
  {
    id: 'required',
    title: "OpenAI's client, any function required, through our `/v1`",
    open: (engine) =>
      served(
        engine,
        ({ client }) =>
          (form, seed) =>
            forceFunction(client, engine, { form, seed, choice: 'required' }),
      ),
  },
  {
    id: 'chat',
    title: 'chat message with a format',
    open: (engine) =>
      served(engine, ({ url, token }) => async ({ prompt, schema }) => {
        const chat = createClient({ baseURL: url, token }).chat({ model: MODEL });
        const limits = { text_only: MAX_CALLS, max_repairs: MAX_CALLS };
        return (await chat.ask({ prompt: prompt, output: Output.object({ schema }), limits })).output;
      }),
  },
];

const FUNCTION = 'fill_in';
const NAMED = { type: 'function', function: { name: FUNCTION } } as const;

/** The call that Instructor and others send by default. */
async function forceFunction(
  client: OpenAI,
  { maxTokens = MAX_TOKENS }: AskedEngine,
  { form, seed, choice = NAMED }: { form: FormCase; seed: number; choice?: typeof NAMED | 'required' },
): Promise<unknown> {
  const completion = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: form.prompt }],
    tools: [{ type: 'function', function: { name: FUNCTION, parameters: { ...jsonSchemaOf(form) } } }],
    tool_choice: choice,
    temperature: TEMPERATURE,
    max_tokens: maxTokens,
    seed,
  });
  const [call] = completion.choices[0]?.message.tool_calls ?? [];
  if (call?.type !== 'function') throw new Error('The reply has no call.');
  const parsed = parseJson(call.function.arguments);
  if (!parsed.success) throw new Error('The arguments are not JSON.');
  return parsed.value;
}

interface Served {
  readonly client: OpenAI;
  readonly url: string;
  readonly token: string;
}

/** Starts a server over the engine, with a file of models that has the sampling of the proof. */
async function served(engine: AskedEngine, make: (served: Served) => OpenAsker['ask']): Promise<OpenAsker> {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-proof-'));
  const modelsFile = join(folder, 'models.yaml');
  const entry = {
    endpoint: engine.url,
    model: engine.model,
    max_tokens: engine.maxTokens ?? MAX_TOKENS,
    temperature: TEMPERATURE,
  };
  // JSON is YAML.
  writeFileSync(
    modelsFile,
    JSON.stringify({
      endpoints: { [MODEL]: { ...entry, ...(engine.apiKey !== undefined && { api_key: engine.apiKey }) } },
    }),
  );
  const server = await createChatServer({ port: 0, databaseUrl: ':memory:', modelsFile, environment: {} });
  const { token } = await server.createToken({ name: 'proof' });
  const client = openAIClient({ url: `${server.url}/v1`, apiKey: token });
  return {
    ask: make({ client, url: server.url, token }),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
