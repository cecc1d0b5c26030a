/** llama-server: the engine of llama.cpp, beside the checkout or named by a variable. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';

/** A running engine. */
export interface LlamaServer extends AsyncDisposable {
  /** Asks for one token under a schema. Returns the status of the reply. */
  ask(schema: unknown): Promise<number>;
  /** Lines of its stderr that tell of a part that it does not keep. */
  readonly warnings: readonly string[];
}

const BESIDE = resolve(import.meta.dirname, '../../../shared/models/llama-server');
const WARNING =
  /unsupported|not supported|unrecogni[sz]ed|unknown|must start with|pattern|failed to|grammar.*(?:warn|error)|warn.*(?:grammar|schema)/iu;

/** Returns the path of the program, or undefined if there is none. */
export async function findLlamaServer(): Promise<string | undefined> {
  const path = process.env['TRUECAST_LLAMA_SERVER'] ?? BESIDE;
  try {
    await access(path);
    return path;
  } catch {
    return undefined;
  }
}

/** Starts it with the model beside it. */
export async function startLlamaServer(path: string): Promise<LlamaServer> {
  const model = (await readdir(dirname(path))).find((name) => name.endsWith('.gguf'));
  if (model === undefined) throw new Error(`Expected a model (*.gguf) beside ${path}.`);
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port), '-c', '2048', '-np', '1', '-t', '1'];
  const child = spawn(path, ['-m', join(dirname(path), model), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const base = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await isReady(base))) await new Promise((done) => setTimeout(done, 50));
  const startText = said.length;
  return {
    ask: (schema) => askOnce(base, schema),
    get warnings() {
      return said
        .slice(startText)
        .split('\n')
        .filter((line) => WARNING.test(line));
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Each on a connection of its own: the engine closes an idle one, also while a request is on the way. */
async function askOnce(base: string, schema: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${base}/v1/chat/completions`, { method: 'POST', headers, agent: false });
  sent.end(
    JSON.stringify({
      messages: [{ role: 'user', content: 'Answer.' }],
      max_tokens: 1,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  );
  const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
  sent.on('response', answer).on('error', reject);
  const response = await promise;
  await response.toArray();
  return response.statusCode ?? 0;
}

async function isReady(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/health`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('Expected a port.');
  return address.port;
}
