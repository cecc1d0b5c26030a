/** Tests of C3: a PDF whose bytes do not show its cost, and replies after the limit. */
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { printResult } from '../fake-claude.ts';
import { makeRepository } from '../run/fixture.ts';
import { CLAUDE } from '../server/run-world.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { startService, type HostileService } from './hostile-service.ts';
import { AGENT_ROUTES, type SandboxName } from './routes/agent-routes.ts';
import { runAsJob } from './routes/job-route.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

const PAGES = 100;
/** What a service charges for the pages of one request. */
const PDF_TOKENS = PAGES * 1_500;
const BUDGET = 200_000;
const REQUESTS = 12;

const pdf = (): string => {
  const pages = Array.from(
    { length: PAGES },
    (_, index) => `${index + 3} 0 obj<</Type/Page/Parent 2 0 R>>endobj\n`,
  );
  return `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count ${PAGES}>>endobj\n${pages.join('')}trailer<</Root 1 0 R>>\n%%EOF`;
};

/** An agent that sends the PDF in parallel requests, whatever the proxy answers. */
function sendingAgent(service: HostileService): AgentProvider {
  const source = {
    type: 'base64',
    media_type: 'application/pdf',
    data: Buffer.from(pdf()).toString('base64'),
  };
  const body = JSON.stringify({
    max_tokens: 1,
    messages: [{ role: 'user', content: [{ type: 'document', source }] }],
  });
  const program = `await Promise.allSettled(Array.from({ length: ${REQUESTS} }, async () => (await fetch(process.env.MODEL_URL + '/v1/messages', { method: 'POST', body: ${JSON.stringify(body)} })).text()));`;
  return {
    ...command({ command: ['node', '--input-type=module', '-e', program] }),
    modelAccess: () => ({
      upstreamUrl: service.url.replace('/v1', ''),
      headers: { 'x-api-key': 'sk-outside-only' },
      environment: (url) => ({ MODEL_URL: url }),
      secretNames: [],
    }),
  };
}

async function chargePages(
  route: 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
  sandbox: SandboxName,
): Promise<void> {
  await using service = await startService((_request, response) => {
    const usage = { input_tokens: PDF_TOKENS, output_tokens: 1 };
    setTimeout(
      () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ model: 'm', usage })),
      100,
    );
  });
  const agent = sendingAgent(service);
  const options = { budget: { tokens: BUDGET } };
  await AGENT_ROUTES[route]({ repository: makeRepository(), script: '', agent, sandbox, options });
  // Refused or counted: what is spent exceeds the limit by one request at most.
  expect(service.requests * PDF_TOKENS).toBeLessThanOrEqual(BUDGET + PDF_TOKENS);
}

const USED = 600;
const LIMIT = 1_000;

async function stopAtLimit(route: ModelRouteName, hasTools = false): Promise<void> {
  await using service = await startService((_request, response) => {
    const message = { role: 'assistant', content: '{"wrong":true}' };
    const usage = { prompt_tokens: USED - 1, completion_tokens: 1, total_tokens: USED };
    const body = { id: '1', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await MODEL_ROUTES[route]({
    serviceUrl: service.url,
    hasTools,
    count: 6,
    budget: { tokens: LIMIT },
    tokens: LIMIT,
    quota: { tokens: LIMIT },
  });
  expect(service.requests).toBeGreaterThan(0);
  expect(service.requests * USED).toBeLessThanOrEqual(LIMIT + USED);
}

/** Each turn has a wrong answer, so that the next one would start. The starts are commits. */
async function startNoTurn(): Promise<void> {
  const repository = makeRepository();
  const usage = { input_tokens: USED - 1, output_tokens: 1 };
  const { isAccepted, code, commits, message } = await runAsJob({
    repository,
    script: 'git commit -q --allow-empty -m start',
    stream: [
      CLAUDE.session,
      CLAUDE.storeSession,
      printResult({ usage, structured_output: { answer: 'wrong' } }),
    ].join('\n'),
    output: Output.object({ schema: z.object({ answer: z.number() }), maxCorrections: 5 }),
    limits: { tokens: LIMIT },
  });
  expect([isAccepted, code], message).toEqual([false, 'limit_reached']);
  expect(commits.length).toBeGreaterThan(0);
  expect(commits.length * USED).toBeLessThanOrEqual(LIMIT + USED);
}

declareGuarantee('C3', {
  'run/bubblewrap': () => chargePages('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => chargePages('run/podman', 'podman'),
  kept: inBubblewrap(() => chargePages('kept', 'bubblewrap')),
  batch: inBubblewrap(() => chargePages('batch', 'bubblewrap')),
  generate: async () => {
    await stopAtLimit('generate');
    await stopAtLimit('generate', true);
  },
  ensemble: () => stopAtLimit('ensemble'),
  chat: () => stopAtLimit('chat'),
  wire: () => stopAtLimit('wire'),
  runs: inBubblewrap(startNoTurn),
  command: () => stopAtLimit('command'),
});
