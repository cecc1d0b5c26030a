/** Tests of C2: a service that quotes the key or redirects, and an agent that prints a declared secret. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { TreeCheck } from '../../packages/truecast/src/git/command/tree-check.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { maskCredential } from './routes/remote-runs.ts';
import { startService } from './hostile-service.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** Without the shape of a known token: only its declaration makes it a secret. */
const SECRET = 'correct-horse-battery-staple-9';
const SCRIPT = 'echo "out $DEPLOY_SECRET"; echo "err $DEPLOY_SECRET" >&2; exit 3';

async function maskKey(route: ModelRouteName, hasTools = false): Promise<void> {
  await using quoting = await startService((request, response) => {
    const message = `bad key ${request.headers.authorization}`;
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message } }));
  });
  const quoted = await MODEL_ROUTES[route]({ serviceUrl: quoting.url, apiKey: SECRET, hasTools });
  expect(quoted.isAccepted).toBe(false);
  expect(quoting.requests).toBeGreaterThan(0);
  expect(quoted.output).not.toContain(SECRET);
  expect(quoted.message).not.toContain(SECRET);
}

/** The name of the model is no answer: it is stored and shown with each call. */
async function maskModelName(route: ModelRouteName, hasTools = false): Promise<void> {
  await using naming = await startService((request, response) => {
    const message = { role: 'assistant', content: 'no answer' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const body = { id: '1', model: request.headers.authorization, choices };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const named = await MODEL_ROUTES[route]({ serviceUrl: naming.url, apiKey: SECRET, hasTools });
  expect(naming.requests).toBeGreaterThan(0);
  expect(named.output).not.toContain(SECRET);
}

async function followNoRedirect(route: ModelRouteName): Promise<void> {
  await using elsewhere = await startService((_request, response) => response.writeHead(400).end());
  await using redirecting = await startService((_request, response) =>
    response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end(),
  );
  const redirected = await MODEL_ROUTES[route]({ serviceUrl: redirecting.url, apiKey: SECRET });
  expect(redirected.isAccepted).toBe(false);
  expect(redirecting.requests).toBeGreaterThan(0);
  expect(elsewhere.requests).toBe(0);
}

async function maskSecret(route: AgentRouteName): Promise<void> {
  const env = { DEPLOY_SECRET: SECRET };
  const outcome = await AGENT_ROUTES[route]({ repository: makeRepository(), script: SCRIPT, env });
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.output).not.toContain(SECRET);
}

/** The check prints a secret: as its reason, and in an exception. The errors and a results file are shown. */
async function maskCheck(): Promise<void> {
  const env = { DEPLOY_SECRET: SECRET };
  const script = 'git commit -q --allow-empty -m work';
  const repository = makeRepository();
  await AGENT_ROUTES['run/none']({ repository, script });
  const print: TreeCheck = async ({ exec }) => (await exec('echo "printed $DEPLOY_SECRET"')).stdout;
  const checks: readonly TreeCheck[] = [
    print,
    async (context) => {
      throw new RangeError(await print(context));
    },
  ];
  for (const check of checks) {
    const ended: unknown = await merge('work', { cwd: repository, sandbox: noSandbox(), env, check }).catch(
      (error: unknown) => error,
    );
    expect(ended).toBeInstanceOf(Error);
    expect(inspect(ended)).toContain('printed');
    expect(inspect(ended)).not.toContain(SECRET);
    const out = join(temporaryFolder(), 'results.jsonl');
    const branchStrategy = { type: 'merge-to-head', check } as const;
    const options = { agent: command({ command: script }), sandbox: noSandbox(), cwd: repository, env, out };
    await runBatch({ ...options, inputs: [{}], prompt: 'work', branchStrategy });
    expect(readFileSync(out, 'utf8')).toContain('printed');
    expect(readFileSync(out, 'utf8')).not.toContain(SECRET);
  }
}

const mask = async (route: ModelRouteName): Promise<void> => {
  await maskKey(route);
  await maskModelName(route);
  await followNoRedirect(route);
};

declareGuarantee('C2', {
  'run/none': () => maskSecret('run/none'),
  'run/bubblewrap': () => maskSecret('run/bubblewrap'),
  'run/podman': () => maskSecret('run/podman'),
  kept: () => maskSecret('kept'),
  batch: () => maskSecret('batch'),
  merge: maskCheck,
  runs: maskCredential,
  generate: async () => {
    await mask('generate');
    await maskKey('generate', true);
    await maskModelName('generate', true);
  },
  ensemble: () => mask('ensemble'),
  chat: () => mask('chat'),
  wire: () => mask('wire'),
  command: () => mask('command'),
});
