/** Tests of B2: answers that no attempt makes valid. Each refusal says where, how often, and what next. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';
import { explainRefusals } from './routes/served-runs.ts';

const TRIES = 3;
const SCHEMA = z.object({ line: z.number() });
const SCRIPT = 'echo \'<result>{"line":"twelve"}</result>\'';

function counted(message: string, field: string): void {
  expect(message).toContain(`at ${field}: `);
  expect(message).toContain('twelve');
  expect(message).toContain(`Refused ${TRIES} times`);
  expect(message).toMatch(/correct the prompt or the schema\./u);
  expect(message).not.toContain('maxCorrections');
}

async function countAgent(
  route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
): Promise<void> {
  const output = Output.object({ tag: 'result', schema: SCHEMA, maxCorrections: TRIES - 1, retry: 'fresh' });
  const { isAccepted, message } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: SCRIPT,
    options: { output },
  });
  expect(isAccepted).toBe(false);
  counted(message, 'line');
}

/** The command counts in its own words, and names its flag. */
async function countCommand(): Promise<void> {
  const repository = makeRepository();
  const schema = join(repository, 'schema.json');
  writeFileSync(schema, JSON.stringify(z.toJSONSchema(SCHEMA)));
  const { isAccepted, message, output } = await AGENT_ROUTES.command({
    repository,
    script: SCRIPT,
    args: ['--schema', schema, '--tag', 'result', '--max-corrections', String(TRIES - 1), '--retry', 'fresh'],
  });
  expect(isAccepted).toBe(false);
  const said = `${message}\n${output}`;
  expect(said).toContain('at line: ');
  expect(said).toContain('twelve');
  expect(said).toMatch(/after 3 attempts.*--max-corrections/su);
}

async function messageOf(route: ModelRouteName, text: string, count?: number): Promise<string> {
  await using server = await scriptedModelServer({ script: () => reply.text(text) });
  const outcome = await MODEL_ROUTES[route]({
    serviceUrl: server.openaiUrl,
    ...(count !== undefined && { count }),
  });
  expect(outcome.isAccepted).toBe(false);
  return outcome.message;
}

const WRONG = '{"answer":"twelve"}';

/** The refused answer is in the chat, and never in a text that can be logged. */
async function countChat(route: 'chat' | 'wire'): Promise<void> {
  const message = await messageOf(route, WRONG);
  expect(message).toMatch(/Refused [2-9] times, the last time at `\/answer`: /u);
  expect(message).toMatch(/Send the message again with /u);
  if (route === 'chat') expect(message).toContain('twelve');
}

declareGuarantee('B2', {
  runs: explainRefusals,
  'run/none': () => countAgent('run/none'),
  'run/bubblewrap': () => countAgent('run/bubblewrap'),
  'run/podman': () => countAgent('run/podman'),
  kept: () => countAgent('kept'),
  batch: () => countAgent('batch'),
  generate: async () => {
    const message = await messageOf('generate', WRONG, TRIES);
    counted(message, 'answer');
  },
  ensemble: async () => {
    const message = await messageOf('ensemble', '{"kind":"agent.spoke","mood":"calm"}');
    expect(message).toMatch(/The model returned no usable answer in \d+ attempts: .*`?text`?.*calm/u);
  },
  chat: () => countChat('chat'),
  wire: () => countChat('wire'),
  command: countCommand,
});
