/** Tests of B1: services that cannot be reached, refuse or load, and agents that crash. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { closedPort } from '../../packages/model/src/failure/test-closed-port.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { matrixColumns } from '../matrix.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { startService } from './hostile-service.ts';
import { rightOf } from './played-reply.ts';
import { AGENT_ROUTES, type AgentRouteName, type SandboxName } from './routes/agent-routes.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** A refusal of a service, and what each route says of it. */
interface RefusedCase {
  readonly status: number;
  readonly error: object;
  readonly says: RegExp;
}

const REFUSALS: readonly RefusedCase[] = [
  {
    status: 401,
    error: { message: 'Bad key.' },
    says: /(?:refused the key|rejected this server's API key)/u,
  },
  {
    status: 404,
    error: { message: "model 'm' not found" },
    says: /does not have the model `m`.*It has `qwen3`/u,
  },
  {
    status: 429,
    error: { message: 'Empty.', code: 'insufficient_quota' },
    says: /account at the model's service has no quota left/u,
  },
  {
    status: 400,
    error: { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' },
    says: /(?:does not fit the model's context window|is (?:still )?too long for the model)/u,
  },
];

/** A server that refuses each request, and lists its models. */
async function nameRefusal(route: ModelRouteName, { status, error, says }: RefusedCase): Promise<void> {
  await using service = await startService((request, response) => {
    const isList = request.url?.endsWith('/models') === true;
    response
      .writeHead(isList ? 200 : status, { 'content-type': 'application/json' })
      .end(JSON.stringify(isList ? { data: [{ id: 'qwen3' }] } : { error }));
  });
  const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url });
  expect([outcome.isAccepted, outcome.message || outcome.output], String(status)).toEqual([
    false,
    expect.stringMatching(says),
  ]);
}

/** Nothing is retried at an address that no request can be sent to, or that has no TLS. */
async function nameConnection(route: ModelRouteName, serviceUrl: string, says: RegExp): Promise<void> {
  const outcome = await MODEL_ROUTES[route]({ serviceUrl });
  expect([outcome.isAccepted, outcome.message || outcome.output]).toEqual([
    false,
    expect.stringMatching(says),
  ]);
}

function nameForbiddenPort(route: ModelRouteName): Promise<void> {
  const says = /No request can be sent to (?:http:\/\/127\.0\.0\.1:1|the address)/u;
  return nameConnection(route, 'http://127.0.0.1:1/v1', says);
}

async function nameMissingTls(route: ModelRouteName): Promise<void> {
  await using plain = await startService((_request, response) => response.end());
  const url = plain.url.replace('http:', 'https:');
  await nameConnection(route, url, /No secure connection to .* is possible/u);
}

/** As many as no retry of a failed request makes up for. */
const LOADING = 3;

/** An engine that loads its model for some requests, and then answers. */
async function waitForLoading(route: ModelRouteName): Promise<void> {
  let asked = 0;
  await using service = await startService((request, response) => {
    // A server asks for the window too.
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(503).end();
      return;
    }
    asked += 1;
    const isLoading = asked <= LOADING;
    const message = { role: 'assistant', content: rightOf(route === 'command' ? 'ensemble' : route) };
    const error = { code: 503, message: 'Loading model', type: 'unavailable_error' };
    const body = isLoading
      ? { error }
      : { id: '1', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    response
      .writeHead(isLoading ? 503 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  });
  const { isAccepted, output } = await MODEL_ROUTES[route]({ serviceUrl: service.url });
  expect(isAccepted).toBe(true);
  expect(asked).toBe(LOADING + 1);
  if (route === 'chat' || route === 'wire') {
    expect(output.split('"error_cause":"loading"')).toHaveLength(LOADING + 1);
  }
  if (route === 'command') expect(output).toMatch(/The model's service is loading its model\./u);
}

/** A process that ends while it reads the request: each later connection is refused. */
async function nameEnded(route: ModelRouteName): Promise<void> {
  const server = createHttpServer((request, response) => {
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    request.socket.destroy();
    server.close();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outcome = await MODEL_ROUTES[route]({ serviceUrl: `http://127.0.0.1:${port}/v1` });
  expect([outcome.isAccepted, outcome.message || outcome.output]).toEqual([
    false,
    expect.stringMatching(
      / ended during a request: it closed the connection, and now nothing listens there/u,
    ),
  ]);
}

const CAUSES: readonly ((route: ModelRouteName) => Promise<void>)[] = [
  ...REFUSALS.map((refused) => (route: ModelRouteName) => nameRefusal(route, refused)),
  nameForbiddenPort,
  nameMissingTls,
  waitForLoading,
  nameEnded,
];
/** Rows of the matrix: the short form tries each fourth cause on a route. */
const ROWS: readonly ModelRouteName[] = ['chat', 'generate', 'ensemble', 'wire', 'command'];

async function nameEach(route: ModelRouteName): Promise<void> {
  const tried = matrixColumns(ROWS.indexOf(route), CAUSES, { rows: ROWS.length, stride: 4 });
  // A chat repeats the call for minutes, and then says the same.
  for (const name of tried) if (route !== 'chat' || name !== nameEnded) await name(route);
}

const CRASH = 'node -e "throw new TypeError(\'no key was given\')"';
const CRASHED = /TypeError: no key was given/u;

async function nameCrash(route: AgentRouteName): Promise<void> {
  const { isAccepted, message, output } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: CRASH,
  });
  expect(isAccepted).toBe(false);
  expect(message || output).toMatch(CRASHED);
}

/** An agent that reports a failed request as agents do: without the cause. */
function agentOf(upstreamUrl: string): AgentProvider {
  const program = `const { status } = await fetch(process.env.MODEL_URL + '/v1/messages', { method: 'POST', body: '{}' }); console.error('status ' + status); process.exit(1);`;
  return {
    ...command({ command: ['node', '--input-type=module', '-e', program] }),
    modelAccess: () => ({
      upstreamUrl,
      headers: { 'x-api-key': 'sk-outside-only' },
      environment: (url) => ({ MODEL_URL: url }),
      secretNames: [],
    }),
  };
}

/** A crash, and a model that the proxy of the sandbox cannot reach. */
async function nameModel(
  route: 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
  sandbox: SandboxName,
): Promise<void> {
  await nameCrash(route);
  const upstream = `http://127.0.0.1:${await closedPort()}`;
  const { isAccepted, message } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: '',
    agent: agentOf(upstream),
    sandbox,
  });
  expect(isAccepted).toBe(false);
  expect(message).toContain(`No server answers at ${upstream} (ECONNREFUSED).`);
  expect(message).toContain('exited with code 1: status 502.');
}

declareGuarantee('B1', {
  'run/none': () => nameCrash('run/none'),
  'run/bubblewrap': () => nameModel('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => nameModel('run/podman', 'podman'),
  kept: inBubblewrap(() => nameModel('kept', 'bubblewrap')),
  batch: inBubblewrap(() => nameModel('batch', 'bubblewrap')),
  generate: () => nameEach('generate'),
  ensemble: () => nameEach('ensemble'),
  chat: () => nameEach('chat'),
  wire: () => nameEach('wire'),
  runs: inBubblewrap(() => nameCrash('runs')),
  command: async () => {
    await nameCrash('command');
    await nameEach('command');
  },
});
