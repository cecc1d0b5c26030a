/** Chat Completions server over llama.cpp: one model, with or without its grammar of a JSON Schema. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { isRecord } from '../../packages/core/src/errors/base/is-record.ts';

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

/** A running server. */
export interface EngineServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: () => number;
}

const MAX_TOKENS = 600;
/** The model sees the last token only, so that the end of a prompt is enough. */
const PROMPT_CHARS = 200;

/** Loads the model, and starts the server. Without `decodes` it ignores schemas and tools. */
export async function engineServer(
  modelPath: string,
  { decodes }: { decodes: boolean },
): Promise<EngineServer> {
  const specifier = 'node-llama-cpp';
  const engine = (await import(specifier)) as Engine;
  const llama = await engine.getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 1 });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 2_048, threads: 1 });
  const completion = new engine.LlamaCompletion({ contextSequence: context.getSequence() });
  let requests = 0;
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
    const schema = decodes ? schemaIn(body) : undefined;
    const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
    requests += 1;
    return await completion.generateCompletion(JSON.stringify(body['messages']).slice(-PROMPT_CHARS), {
      maxTokens: MAX_TOKENS,
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
        (content) => send(response, content),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function schemaIn(body: Readonly<Record<string, unknown>>): object | undefined {
  const format = body['response_format'];
  const named = isRecord(format) ? format['json_schema'] : undefined;
  const schema = isRecord(named) ? named['schema'] : undefined;
  return isRecord(schema) ? schema : undefined;
}

function send(response: ServerResponse, content: string): void {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'bigram',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunk({ content }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
}
