/** Tests of A5: schemas that no JSON fits. No agent and no model may start. */
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { stubProvider } from '../../packages/ensemble/src/providers/stub-provider.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { startService } from './hostile-service.ts';
import { AGENT_ROUTES, type SandboxName } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';
import { failureOf, type Outcome } from './routes/outcome.ts';
import { FORMAT, startServer, type StartedServer } from './routes/server.ts';
import { refuseSchema } from './routes/served-runs.ts';

/** `{ when: Date }`, `{ count: number }` without a number between, and a part without a value. */
const CROSSED = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 5, maximum: 3 } },
  required: ['count'],
} as const;
const CASES = [
  [z.object({ when: z.date() }), '/properties/when'],
  [
    z.object({ names: z.array(z.object({ id: z.bigint() })).min(1) }),
    '/properties/names/items/properties/id',
  ],
  [jsonSchema(CROSSED), '/properties/count'],
] as const;

function expectRefused({ isAccepted, message }: Outcome, place: string): void {
  expect(isAccepted).toBe(false);
  expect(message).toContain(place);
}

async function startNoAgent(
  route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
  sandbox: SandboxName,
): Promise<void> {
  for (const [schema, place] of CASES) {
    let starts = 0;
    const agent = command({ command: ['true'] });
    const counting = {
      ...agent,
      buildPrintCommand(...options: Parameters<typeof agent.buildPrintCommand>) {
        starts += 1;
        return agent.buildPrintCommand(...options);
      },
    };
    const output = Output.object({ tag: 'result', schema, maxCorrections: 3 });
    const work = { repository: makeRepository(), script: '', options: { output } };
    expectRefused(await AGENT_ROUTES[route]({ ...work, agent: counting, sandbox }), place);
    expect(starts).toBe(0);
  }
}

async function callNoModel(): Promise<void> {
  await using service = await startService((_request, response) => void response.writeHead(500).end());
  const model = openAICompatible({ baseURL: service.url, model: 'm' });
  for (const [schema, place] of CASES) {
    for (const tag of [undefined, 'result']) {
      const output = Output.object({ schema, ...(tag !== undefined && { tag }) });
      const outcome = await generate({ model, prompt: 'x', output }).then(() => undefined, failureOf);
      if (outcome === undefined) throw new RangeError('The schema was accepted.');
      expectRefused(outcome, place);
    }
  }
  expect(service.requests).toBe(0);
}

async function serveNoFormat(
  ask: (server: StartedServer, format: object) => Promise<Outcome>,
): Promise<void> {
  await using service = await startService((_request, response) => void response.writeHead(500).end());
  await using server = await startServer({ serviceUrl: service.url });
  const { json_schema: format } = FORMAT;
  expectRefused(
    await ask(server, { ...FORMAT, json_schema: { ...format, schema: CROSSED } }),
    '/properties/count',
  );
  expect(service.requests).toBe(0);
}

async function runNoCommand(): Promise<void> {
  const mark = `${temporaryFolder()}/started`;
  const { exitCode, message } = await runCommand({
    cwd: makeRepository(),
    args: [
      'run',
      'Work.',
      '--agent',
      `command:touch ${mark}`,
      '--sandbox',
      'none',
      '--schema',
      JSON.stringify(CROSSED),
    ],
  });
  expect([exitCode, message]).toEqual([2, expect.stringContaining('/properties/count')]);
  expect(existsSync(mark)).toBe(false);
}

/** The schema of an event is made of the granted kinds, so a grant of none has no value. */
function grantNothing(): void {
  const manifest = { name: 'ada', role: 'worker', persona: 'You are Ada.', mayEmit: [] };
  // As an untyped caller passes it.
  const options = { manifest, provider: stubProvider() } as never;
  expect(() => manifestAgent(options)).toThrow(/at least one kind, got none/u);
}

declareGuarantee('A5', {
  runs: () => refuseSchema(CROSSED, '/properties/count'),
  'run/none': () => startNoAgent('run/none', 'none'),
  'run/bubblewrap': () => startNoAgent('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => startNoAgent('run/podman', 'podman'),
  kept: () => startNoAgent('kept', 'none'),
  batch: () => startNoAgent('batch', 'none'),
  generate: callNoModel,
  ensemble: grantNothing,
  chat: () => serveNoFormat((server, format) => server.chat('How many?', { response_format: format })),
  wire: () => serveNoFormat((server, format) => server.completion({ response_format: format })),
  command: runNoCommand,
});
