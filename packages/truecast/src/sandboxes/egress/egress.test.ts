/**
 * End-to-end tests of `egress: "model"`: the agent's allowed connections, and the absence of the
 * key inside.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createContractFixture,
  type ContractFixture,
} from '../../../../testing/src/sandbox-contract-fixture.ts';
import type { ModelAccess } from '../../ports/model-access.ts';
import { bubblewrap } from '../bubblewrap.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import type { ModelRequest } from './model/model-proxy.ts';

// Generated at run time, because the checkout with this file can be visible inside.
const KEY = `sk-live-${randomUUID()}`;

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let fixture: ContractFixture;
let model: Server;
let seen: Seen[];
let requests: ModelRequest[];
let respond: (response: ServerResponse, request: IncomingMessage) => void;
let handle: SandboxHandle;

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function start(access: Partial<ModelAccess> = {}): Promise<void> {
  const modelAccess: ModelAccess = {
    upstreamUrl: `http://127.0.0.1:${portOf(model)}/base`,
    headers: { 'x-api-key': KEY, 'x-version': '1' },
    environment: (url) => ({ MODEL_URL: url, MODEL_KEY: 'placeholder' }),
    secretNames: ['MODEL_KEY'],
    ...access,
  };
  const env = { MODEL_KEY: KEY, COPY_OF_THE_KEY: `x${KEY}`, HARMLESS: 'seen' };
  const provider = bubblewrap({ onModelRequest: (request) => requests.push(request) });
  handle = await provider.create({ ...fixture.options, env, modelAccess });
}

/** Runs an agent program that prints the status and the text of the model's answer. Node takes ten times as long. */
function ask(path: string, args = ''): ReturnType<SandboxHandle['exec']> {
  return handle.exec(`curl -sN -o body -w '%{http_code} ' ${args} "$MODEL_URL${path}"; cat body; echo`, {
    isAgent: true,
  });
}

/** Runs an agent program in Node. */
function program(source: string): ReturnType<SandboxHandle['exec']> {
  return handle.exec('node --input-type=module -', { stdin: source, isAgent: true });
}

beforeEach(async () => {
  fixture = await createContractFixture();
  seen = [];
  requests = [];
  respond = (response) => response.end('answer');
  model = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
      seen.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers, body });
      respond(response, request);
    })();
  });
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  await start();
});

afterEach(async () => {
  await handle.close();
  model.closeAllConnections();
  model.close();
  await fixture.remove();
});

describe('egress: "model"', () => {
  it('carries a request to the model and adds the key there', async () => {
    const { stdout, stderr } = await ask(
      '/v1/messages?beta=true',
      `-d prompt -H 'Authorization: Bearer mine' -H 'X-Api-Key: placeholder' -H 'X-Own: kept'`,
    );
    expect(stdout, stderr).toBe('200 answer\n');
    expect(seen).toMatchObject([
      {
        url: '/base/v1/messages?beta=true',
        method: 'POST',
        body: 'prompt',
        headers: { 'x-api-key': KEY, 'x-version': '1', 'x-own': 'kept' },
      },
    ]);
    expect(seen[0]?.headers.authorization).toBeUndefined();
    expect(seen[0]?.headers.host).toBe(`127.0.0.1:${portOf(model)}`);
    await expect
      .poll(() => requests)
      .toMatchObject([{ method: 'POST', path: '/v1/messages?beta=true', statusCode: 200, responseBytes: 6 }]);
  });

  it('reports the usage of each response to the caller and to the run', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"message":{"model":"m-1","usage":{"input_tokens":7,"output_tokens":1}}}\n\n');
      response.end('data: {"usage":{"output_tokens":5}}\n\n');
    };
    const told: unknown[] = [];
    const unobserve = handle.observeEgress?.({ onModelUsage: (usage, model) => told.push([usage, model]) });
    await ask('/v1/models');
    const usage = { inputTokens: 7, outputTokens: 5, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    await expect.poll(() => requests).toMatchObject([{ statusCode: 200, usage, model: 'm-1' }]);
    expect(told).toEqual([[usage, 'm-1']]);
    expect(seen[0]?.headers['accept-encoding']).toBe('identity');
    unobserve?.();
    await ask('/v1/models');
    expect(told).toHaveLength(1);
  });

  it('sends no more requests to the model when the run refuses them', async () => {
    handle.observeEgress?.({
      reserveModel: () => Promise.resolve({ type: 'refuse', message: 'The budget is spent.' }),
    });
    const { stdout } = await ask('/v1/messages', `-d '{}'`);
    expect(stdout).toMatch(/^403 .*The budget is spent\./);
    expect(seen).toEqual([]);
  });

  it('carries a body that hides a request as the body that it is', async () => {
    await program(
      `import net from 'node:net';
       const hidden = 'GET /outside HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n';
       const s = net.connect(8080, '127.0.0.1');
       s.write('GET /v1/models HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\nConnection: close\\r\\n\\r\\n' + hidden.length.toString(16) + '\\r\\n' + hidden + '\\r\\n0\\r\\n\\r\\n');
       for await (const _ of s) ;`,
    );
    expect(seen.map(({ url, body }) => [url, body])).toEqual([
      ['/base/v1/models', 'GET /outside HTTP/1.1\r\nHost: h\r\n\r\n'],
    ]);
  });

  it('carries the requests of an API alone, and warns of others', async () => {
    const warnings: string[] = [];
    handle.observeEgress?.({ onWarning: (message) => warnings.push(message) });
    const { stdout } = await handle.exec(
      `for call in 'POST /v1/files' 'POST /v1/messages/batches' 'GET /v1/organizations/api_keys' 'POST /v1/files'; do
         printf '\n%s ' "$(curl -s -o body -w '%{http_code}' -X "\${call% *}" "$MODEL_URL\${call#* }")"; cat body
       done`,
      { isAgent: true },
    );
    expect(stdout.match(/^403 .*is not an endpoint of the model's API/gm)).toHaveLength(4);
    expect(seen).toEqual([]);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain('`POST /v1/files` is not an endpoint');
  });

  it.each([
    ['in the clear', undefined],
    ['compressed though it was asked not to', 'gzip'],
  ])('never shows the key to the guest when the service repeats it, %s', async (_title, encoding) => {
    const shown = [KEY, Buffer.from(`x${KEY}`).toString('base64'), Buffer.from(KEY).toString('hex')];
    respond = (response) => {
      response.setHeader('x-echo', `key=${KEY}`);
      response.statusCode = 400;
      const body = `<${shown.join('|')}>`;
      if (encoding !== undefined) {
        response.setHeader('content-encoding', encoding);
        response.end(gzipSync(body));
        return;
      }
      // The chunk boundary is inside the key.
      response.write(body.slice(0, 20));
      setImmediate(() => response.end(body.slice(20)));
    };
    const { stdout } = await ask('/v1/models', '-i');
    expect(stdout).toMatch(/^400 HTTP[^<]*\r\nx-echo: key=\*+\r\n[^<]*\r\n\r\n</iu);
    for (const form of shown) expect(stdout).not.toContain(form.slice(3, -3));
  });

  it('hands on no answer that it cannot read', async () => {
    respond = (response) => response.writeHead(200, { 'content-encoding': 'compress' }).end(KEY);
    const { stdout } = await ask('/v1/models');
    expect(stdout).toMatch(/^502 .*unsupported encoding compress/);
  });

  it('says so on the handle', () => {
    expect(handle).toMatchObject({ egress: 'model', modelBaseUrl: 'http://127.0.0.1:8080' });
  });

  it('hands on events as the model sends them', async () => {
    let next: (() => void) | undefined;
    respond = (response, request) => {
      if (request.url === '/base/v1/models/go') {
        response.end();
        next?.();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      next = () => response.end('data: second\n\n');
    };
    // The second event is sent only after the first has arrived inside.
    const { stdout } = await program(
      `const r = await fetch(process.env.MODEL_URL + '/v1/models/stream'); const d = new TextDecoder();
       for await (const c of r.body) { const t = d.decode(c); process.stdout.write(t); if (t.includes('first')) await fetch(process.env.MODEL_URL + '/v1/models/go'); }`,
    );
    expect(stdout).toBe('data: first\n\ndata: second\n\n');
  });

  it('never has the key inside: not in the environment, the arguments, the files or the processes', async () => {
    // The pattern is passed on stdin. In a command line it would match itself.
    const search = `{ env; cat /proc/*/environ /proc/*/cmdline; find ~ /tmp /run /var/tmp /etc /dev/shm . -type f -exec cat {} + ; } 2>/dev/null > /var/tmp/found; grep -a -c -f - /var/tmp/found; grep -a -q HARMLESS=seen /var/tmp/found && echo looked`;
    const running = handle.exec(`echo ready; ${search}`, { isAgent: true, stdin: `${KEY.slice(3)}\n` });
    const outside = await execa('ps', ['-eww', '-o', 'args']);
    expect(outside.stdout).not.toContain(KEY);
    expect((await running).stdout).toBe('ready\n0\nlooked\n');
    const variables = await handle.exec('env', { isAgent: true });
    expect(variables.stdout).not.toContain(KEY.slice(3));
    expect(variables.stdout).toContain('MODEL_KEY=placeholder');
    expect((await handle.exec('env')).stdout).not.toContain(KEY.slice(3));
  });

  it('reaches nothing else: no other address, method or protocol', async () => {
    const other = createServer((_request, response) => response.end('other')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { stdout } = await program(
      `import http from 'node:http'; import net from 'node:net';
       const say = (o) => new Promise((done) => http.request({ host: '127.0.0.1', port: 8080, ...o }, (r) => { r.resume(); done(r.statusCode); }).on('error', (e) => done(e.code)).on('connect', (r) => done(r.statusCode)).on('upgrade', () => done('upgraded')).end());
       console.log(await say({ path: 'http://127.0.0.1:${portOf(other)}/' }), await say({ method: 'CONNECT', path: '127.0.0.1:${portOf(other)}' }),
         await say({ path: '/x', headers: { connection: 'upgrade', upgrade: 'websocket' } }), await say({ method: 'TRACE', path: '/' }), await say({ method: 'DELETE', path: '/' }),
         await say({ path: '/../admin' }), await say({ path: '/a/%2e%2e/%2E%2e/admin' }), await say({ path: '/..%2fadmin' }), await say({ path: '//127.0.0.1:${portOf(other)}/' }));
       await new Promise((done) => net.connect(${portOf(other)}, '127.0.0.1').on('connect', () => console.log('reached')).on('error', (e) => { console.log(e.code); done(); }));`,
    );
    other.close();
    expect(stdout).toBe('403 403 403 405 405 403 403 403 403\nECONNREFUSED\n');
    expect(seen).toEqual([]);
  });

  it('hands on a redirect without following it', async () => {
    respond = (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    const { stdout } = await ask('/v1/models');
    expect(stdout).toBe('307 \n');
    expect(seen).toHaveLength(1);
  });

  it('answers 502 where the model cannot be reached, without the key', async () => {
    model.closeAllConnections();
    model.close();
    const { stdout } = await ask('/v1/models');
    expect(stdout).toMatch(/^502 .*ECONNREFUSED/);
    expect(stdout).not.toContain(KEY);
  });

  it('gives other commands no network at all', async () => {
    const { stdout } = await handle.exec(
      'cat /proc/net/unix | wc -l; ls /run/truecast; curl -s http://127.0.0.1:8080; echo "curl $?"',
    );
    // No connection.
    expect(stdout).toContain('curl 7\n');
    expect(stdout).not.toContain('model.sock');
  });

  it('returns the exit code of the agent, and passes it signals and its stdin', async () => {
    expect((await handle.exec('exit 9', { isAgent: true })).exitCode).toBe(9);
    expect((await handle.exec('kill -KILL $$', { isAgent: true })).exitCode).toBe(137);
    expect((await handle.exec('wc -c', { isAgent: true, stdin: 'x'.repeat(1_000_000) })).stdout.trim()).toBe(
      '1000000',
    );
    const controller = new AbortController();
    const onLine = (): void => controller.abort(new RangeError('enough'));
    const running = handle.exec(
      'trap "echo once >> ended; exit" TERM; echo ready; while :; do sleep 0.05; done',
      { isAgent: true, onLine, signal: controller.signal },
    );
    await expect(running).rejects.toThrow('enough');
    expect(await readFile(join(fixture.worktreePath, 'ended'), 'utf8')).toBe('once\n');
  });

  it('leaves no socket behind', async () => {
    const list = await fixture.useOwnTemporaryFolder();
    await handle.close();
    await start();
    // Two folders of the sandbox and one of the socket.
    expect(await list()).toHaveLength(3);
    await handle.close();
    expect(await list()).toEqual([]);
    expect(await readdir(fixture.worktreePath)).toEqual(['.git']);
  });

  it('is refused for an agent that has no way to its model', async () => {
    await expect(bubblewrap({ egress: 'model' }).create(fixture.options)).rejects.toMatchObject({
      name: 'UsageError',
      code: 'unsupported',
    });
  });

  it('is not what an agent without a way to its model gets by default, which is nothing', async () => {
    const other = await bubblewrap().create(fixture.options);
    expect(other.egress).toBe('none');
    await other.close();
  });
});
