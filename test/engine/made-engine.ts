/** A made model behind llama.cpp's library, for machines without a llama-server. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { bigramGguf } from './bigram-gguf.ts';
import type { RunningEngine } from './start-engine.ts';

/** What of `node-llama-cpp` is used. It is installed beside this file only. */
interface Engine {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{ createContext(options: object): Promise<Context> }>;
    createGrammarForJsonSchema(schema: object): Promise<unknown>;
  }>;
  readonly LlamaCompletion: new (options: object) => Completion;
}

interface Context {
  getSequence(): object;
}

interface Completion {
  generateCompletion(prompt: string, options: object): Promise<string>;
}

/** A sentence ends a string, so that strings stay short. */
const CORPUS = '"The lamp hums in the fog." "A gull calls over the pier." "The tide is out." ';
const MAX_TOKENS = 600;
/** The model sees the last token only, so that the end of a prompt is enough. */
const PROMPT_CHARS = 200;

/** Makes a model, loads it, and starts a Chat Completions server that decodes under schemas. */
export async function startMadeEngine(): Promise<RunningEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-engine-'));
  const modelPath = join(folder, 'bigram.gguf');
  writeFileSync(modelPath, bigramGguf(CORPUS.repeat(8)));
  const specifier = 'node-llama-cpp';
  const engine = (await import(specifier).catch(() => {
    throw new Error('`node-llama-cpp` is not installed. Run `npm install --prefix test/engine` first.');
  })) as Engine;
  const llama = await engine.getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 1 });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 2_048, threads: 1 });
  const completion = new engine.LlamaCompletion({ contextSequence: context.getSequence() });
  let requests = 0;
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
    const schema = schemaIn(body);
    const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
    requests += 1;
    return await completion.generateCompletion(JSON.stringify(body['messages']).slice(-PROMPT_CHARS), {
      maxTokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : MAX_TOKENS,
      temperature: 0.8,
      seed: typeof body['seed'] === 'number' ? body['seed'] : requests,
      ...(grammar !== undefined && { grammar }),
    });
  };
  const server = createServer((request, response) => {
    void request.toArray().then(async (pieces: Buffer[]) => {
      const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
      // The context has one sequence.
      const text = last.then(() => answer(isRecord(body) ? body : {}));
      last = text.catch(() => undefined);
      await text.then(
        (content) => send(response, content, isRecord(body) && body['stream'] === true),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    name: 'node-llama-cpp',
    url: `http://127.0.0.1:${port}/v1`,
    model: 'bigram',
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function schemaIn(body: Readonly<Record<string, unknown>>): object | undefined {
  const format = body['response_format'];
  const named = isRecord(format) ? format['json_schema'] : undefined;
  const schema = isRecord(named) ? named['schema'] : undefined;
  return isRecord(schema) ? schema : undefined;
}

function send(response: ServerResponse, content: string, isStream: boolean): void {
  const body = { id: 'x', created: 1, model: 'bigram' };
  if (!isStream) {
    const message = { role: 'assistant', content };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...body, object: 'chat.completion', choices }));
    return;
  }
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({
      ...body,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunk({ content }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
}
