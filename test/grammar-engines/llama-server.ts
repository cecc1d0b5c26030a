/** llama-server: the engine of llama.cpp, beside the checkout or named by a variable. */
import { request, type IncomingMessage } from 'node:http';
import { startEngine, type EngineFiles } from '../engine/start-engine.ts';

/** A running engine. */
export interface LlamaServer extends AsyncDisposable {
  /** Asks for one token under a schema. Returns the status of the reply. */
  ask(schema: unknown): Promise<number>;
  /** Lines of its stderr that tell of a part that it does not keep. */
  readonly warnings: readonly string[];
}

const WARNING =
  /unsupported|not supported|unrecogni[sz]ed|unknown|must start with|pattern|failed to|grammar.*(?:warn|error)|warn.*(?:grammar|schema)/iu;

const PLACES = 8;

/** Starts it with the model beside it. */
export async function startLlamaServer(files: EngineFiles): Promise<LlamaServer> {
  let said = '';
  const engine = await startEngine(files, {
    contextTokens: 2_048,
    // The schemas come at once: the engine reads its weights once for a token of each place.
    extra: ['-np', String(PLACES)],
    onStderr: (text) => {
      said += text;
    },
  });
  const startText = said.length;
  return {
    ask: (schema) => askOnce(engine.url, schema),
    get warnings() {
      return said
        .slice(startText)
        .split('\n')
        .filter((line) => WARNING.test(line));
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Each on a connection of its own: the engine closes an idle one, also while a request is on the way. */
async function askOnce(base: string, schema: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${base}/chat/completions`, { method: 'POST', headers, agent: false });
  sent.end(
    JSON.stringify({
      messages: [{ role: 'user', content: 'Answer.' }],
      max_tokens: 1,
      // A token that the grammar refuses makes the engine try all 49,152 under it. Most schemas begin with this one.
      logit_bias: [['{', 100]],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  );
  const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
  sent.on('response', answer).on('error', reject);
  const response = await promise;
  await response.toArray();
  return response.statusCode ?? 0;
}
