/**
 * Process behind a company's proxy: sends a request on each route with each protocol, and prints what came back as JSON.
 *
 * Arguments: the folder of ensembles, and the protocols of the services. `NODE_EXTRA_CA_CERTS` is read when a process starts.
 */
import { once } from 'node:events';
import { request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import OpenAI from 'openai';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { playEnsemble } from '../../packages/ensemble/src/play-ensemble.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { createJwtVerifier } from '../../packages/server/src/http/verify-jwt.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { createEgressTeller } from '../../packages/truecast/src/ports/egress-observer.ts';
import { parseAllowRules } from '../../packages/truecast/src/ports/allow-rules.ts';
import { startModelProxy } from '../../packages/truecast/src/sandboxes/egress/model/model-proxy.ts';
import { startAllowProxy } from '../../packages/truecast/src/sandboxes/egress/proxy/allow-proxy.ts';

const [ensembles = '', ...protocols] = process.argv.slice(2);
/** Of the services that are asked now. */
let protocol = '';
const baseURL = (route: string): string => `${protocol}://model-${route}.service.test/v1`;
const PEARS = Output.object({ schema: z.object({ count: z.number() }) });

async function library(): Promise<unknown> {
  const model = openAICompatible({ baseURL: baseURL('generate'), model: 'm' });
  return (await generate({ model, prompt: 'How many pears?', output: PEARS })).output;
}

async function chats(): Promise<unknown> {
  await using server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: baseURL('chat'), TRUECAST_MODEL: 'm' },
    mcpServers: [{ name: 'tickets', url: `${protocol}://mcp.service.test/mcp` }],
  });
  const { token } = await server.createToken({ name: 'test' });
  const { output } = await createClient({ baseURL: server.url, token })
    .chat()
    .ask({ prompt: 'Shout, then count the pears.', output: PEARS });
  const wire = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: token, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const { choices } = await wire.chat.completions.create({ model: 'local:m', messages });
  return [output, choices[0]?.message.content];
}

async function ensemble(): Promise<unknown> {
  const env = { TRUECAST_BASE_URL: baseURL('ensemble'), TRUECAST_MODEL: 'm' };
  const { end } = await playEnsemble(ensembles, 'museum-boat', { env, limits: { calls: 1 } });
  return end !== undefined;
}

/** The keys are read through the proxy. The token is not signed by one. */
async function identity(): Promise<unknown> {
  const verify = createJwtVerifier({
    issuer: 'https://login.service.test/',
    audience: 'truecast',
    jwksUrl: 'https://model-keys.service.test/keys',
  });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jwt = `${part({ alg: 'EdDSA', kid: 'x' })}.${part({ exp: 9e9, sub: 'a' })}.${'A'.repeat(86)}`;
  return await verify(jwt).catch((error: unknown) => error instanceof Error && error.name);
}

async function answerOf(request: ClientRequest): Promise<string> {
  const [answer] = (await once(request.end(), 'response')) as [IncomingMessage];
  return `${answer.statusCode} ${(await text(answer)).length > 0}`;
}

/** As a guest in a sandbox: the model's API, a request without TLS, and a tunnel. */
async function egress(): Promise<unknown> {
  const teller = createEgressTeller();
  const access = {
    upstreamUrl: baseURL('sandbox'),
    headers: { authorization: 'Bearer k' },
    environment: () => ({}),
    secretNames: [],
  };
  const model = await startModelProxy({ access, teller });
  const allow = await startAllowProxy({
    rules: parseAllowRules(['model-allowed.service.test']),
    onRefusal: () => undefined,
  });
  try {
    const answers = [await answerOf(send({ socketPath: model.socketPath, path: '/models' }))];
    const { socketPath } = allow;
    answers.push(await answerOf(send({ socketPath, path: 'http://model-allowed.service.test/v1/models' })));
    answers.push(await answerOf(send({ socketPath, path: 'http://model-other.service.test/' })));
    const path = 'model-allowed.service.test:443';
    const tunnel = send({ socketPath, method: 'CONNECT', path }).end();
    const [, socket] = await once(tunnel, 'connect');
    const secured = connectTls({ socket, servername: 'model-allowed.service.test' });
    secured.write('GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    answers.push((await text(secured)).slice(9, 12));
    return answers;
  } finally {
    await Promise.all([model.close(), allow.close()]);
  }
}

const results: Record<string, Record<string, unknown>> = {};
for (protocol of protocols) {
  const answers: Record<string, unknown> = (results[protocol] = {});
  for (const [name, route] of Object.entries({ library, chats, ensemble, identity, egress })) {
    answers[name] = await route().catch((error: unknown) => String(error));
  }
}
process.stdout.write(`${JSON.stringify(results)}\n`);
