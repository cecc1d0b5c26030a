/** `truecast doctor --model` with servers of different capabilities, and with wrong arguments. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { readModelsManifest } from '@truecast/ensemble/internal/manifest/models-manifest';
import { doctorModelCommand } from './doctor-model-command.ts';
import { probeModel } from './probe-model.ts';

type Body = Readonly<Record<string, unknown>>;
type Respond = (response: ServerResponse, request: { path: string; body: Body }) => void;

const open: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) server.close().closeAllConnections();
});

async function serve(respond: Respond): Promise<string> {
  const server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      const text = Buffer.concat(pieces).toString();
      const body = (text === '' ? {} : JSON.parse(text)) as Body;
      respond(response, { path: request.url ?? '', body });
    });
  });
  open.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const MODELS = { data: [{ id: 'small', owned_by: 'llamacpp', meta: { n_ctx: 8_192 } }] };
const say = (message: object): object => ({
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage: { completion_tokens: 20 },
});

/** A server below `/v1` that replies to chats with `answer`. */
function service(answer: (body: Body, response: ServerResponse) => void): Promise<string> {
  return serve((response, { path, body }) => {
    if (path === '/v1/models') json(response, MODELS);
    else if (path === '/v1/chat/completions') answer(body, response);
    else json(response, { error: `Unexpected endpoint ${path}` });
  });
}

const able = (body: Body, response: ServerResponse): void => {
  const format = (body['response_format'] as { type?: string } | undefined)?.type;
  if (format === 'json_schema') json(response, say({ content: '{"colour_by_day":"blue"}' }));
  else if (format === 'json_object') json(response, say({ content: '{"sea":"wide"}' }));
  else if (body['tools'] !== undefined) json(response, say({ content: null, tool_calls: [{ id: '1' }] }));
  else json(response, say({ content: 'It is wide.', reasoning_content: 'The sea.' }));
};

it('reports what a server can do', async () => {
  const url = `${await service(able)}/v1`;
  const times = [0, 4_000];
  expect(await probeModel({ url, now: () => times.shift() ?? 0 })).toEqual({
    server: 'llama.cpp',
    endpoint: url,
    model: 'small',
    schema: 'works',
    jsonMode: 'works',
    tools: 'works',
    thinking: 'separate',
    tokensPerSecond: 5,
    contextTokens: 8_192,
  });
});

it('reports abilities that are ignored or refused', async () => {
  const url = await service((body, response) => {
    const refused = { error: { message: 'tools are not supported' } };
    if (body['tools'] === undefined) json(response, say({ content: '<think>Hm.</think>The sea is {blue}.' }));
    else json(response, refused, 400);
  });
  const report = await probeModel({ url: `${url}/v1` });
  expect(report).toMatchObject({
    schema: 'ignored',
    jsonMode: 'ignored',
    tools: 'refused',
    thinking: 'in-text',
  });
});

it('prints an entry that models.yaml accepts', async () => {
  vi.stubEnv('TRUECAST_API_KEY', 'k');
  const url = `${await service(able)}/v1`;
  const stdout = new PassThrough();
  await doctorModelCommand({ model: `${url}/` }, { stdout, stderr: new PassThrough() });
  const printed = String(stdout.read());
  expect(printed).toMatch(/^small on llama\.cpp\n {2}schema {5}works\n/u);
  const [entry = '', after] = printed.slice(printed.indexOf('profiles:')).split('\n\n');
  expect(after).toContain('run `truecast allow` on the file');
  const { manifest, problems } = readModelsManifest(
    { text: entry, file: 'models.yaml' },
    {
      env: { TRUECAST_API_KEY: 'k' },
      isAllowed: true,
    },
  );
  expect(problems).toEqual([]);
  expect(manifest?.profiles['fast']).toMatchObject({
    endpoint: url,
    model: 'small',
    apiKey: 'k',
    settings: { maxOutputTokens: 2_000, timeouts: { idleMs: 120_000 } },
  });
});

it('reads a bounded part of a reply without an end', { timeout: 240_000 }, async () => {
  const piece = ' '.repeat(1024 * 1024);
  let written = 0;
  const url = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const write = (): void => {
      written += piece.length;
      if (!response.closed && written < 1_000 * piece.length) response.write(piece, write);
    };
    write();
  });
  await expect(probeModel({ url })).rejects.toMatchObject({ name: 'ModelError', code: 'too-large' });
  expect(written).toBeLessThan(100 * piece.length);
});

const CHATS: readonly (readonly [string, number, object, RegExp])[] = [
  ['a wrong key', 401, { error: { message: 'Invalid key' } }, /refuses the key. Set TRUECAST_API_KEY/u],
  ['no quota', 429, { error: { code: 'insufficient_quota' } }, /no quota left/u],
  ['a rate limit', 429, { error: { message: 'Slow down' } }, /limits the rate/u],
  [
    'an overflow',
    400,
    { error: { message: 'exceeds the context length' } },
    /does not fit the model's context/u,
  ],
  ['a missing model', 404, { error: { message: "model 'small' not found" } }, /does not have this model/u],
  ['an error', 500, { error: { message: 'CUDA' } }, /The server failed.*CUDA/u],
];

it.each(CHATS)('names the cause: %s', async (_name, status, body, message) => {
  const url = await service((_body, response) => json(response, body, status));
  await expect(probeModel({ url: `${url}/v1` })).rejects.toThrow(message);
});

it.each(['address#name', 'local:name'])('tests the model of %s', async (form) => {
  const url = `${await service(able)}/v1`;
  vi.stubEnv('TRUECAST_BASE_URL', `${url}/`);
  const stdout = new PassThrough();
  const model = form.startsWith('local') ? 'local:small' : `${url}/#small`;
  await doctorModelCommand({ model, json: true }, { stdout, stderr: new PassThrough() });
  expect(JSON.parse(String(stdout.read()))).toMatchObject({ endpoint: url, model: 'small', schema: 'works' });
});

it.each([
  [{ model: 'localhost:11434/v1' }, /http or https.*got `localhost:11434\/v1`/u],
  [{ model: 'ws://ann:secret@localhost/v1' }, /got `ws:\/\/localhost\/v1`/u],
  [{ model: 'http://127.0.0.1:9/v1#small', modelName: 'big' }, /`small`, and `--model-name` names `big`/u],
])('refuses %j', async (flags, message) => {
  const terminal = { stdout: new PassThrough(), stderr: new PassThrough() };
  await expect(doctorModelCommand(flags, terminal)).rejects.toThrow(message);
});

it('names the address with /v1, and a web page', async () => {
  const url = await service(able);
  await expect(probeModel({ url })).rejects.toThrow(`lacks \`/v1\`. Use ${url}/v1.`);
  const page = await serve((response) => response.writeHead(200).end('<!DOCTYPE html><html>Hello</html>'));
  await expect(probeModel({ url: `${page}/v1` })).rejects.toThrow(/is a web page/u);
});

it('names the models of the server, and an address without a server', async () => {
  const url = await service(able);
  await expect(probeModel({ url: `${url}/v1`, model: 'big' })).rejects.toThrow(
    /`--model-name` to one of: small/u,
  );
  for (const server of open.splice(0)) {
    server.close().closeAllConnections();
    await once(server, 'close');
  }
  await expect(probeModel({ url: `${url}/v1` })).rejects.toThrow(
    /^No server answers at http:.*\(ECONNREFUSED\)\. Start it/u,
  );
});
