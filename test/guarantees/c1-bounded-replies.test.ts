/** Tests of C1: endless replies of a model service, and an agent that prints 12 MB. */
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { matrixColumns } from '../matrix.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { startEndlessService } from './hostile-service.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** Above each bound of the routes, and below the 128 MiB of the service. */
const MOST_BYTES = 80 * 1024 * 1024;
const SCRIPT = 'seq 1 1700000; echo the end';
const KEPT_CHARACTERS = 4 * 1024 * 1024;

const RECEIPT_CHARACTERS = 256 * 1024;

/** Routes that request a stream. */
const STREAMED: readonly ModelRouteName[] = ['chat', 'wire'];
/** Rows of the matrix: the short form sends one kind of reply to each, and each kind to two or more. */
const ROWS: readonly ModelRouteName[] = ['generate', 'ensemble', 'chat', 'wire', 'command'];

async function refuseEndless(route: ModelRouteName): Promise<void> {
  const kinds = [STREAMED.includes(route) ? 'events' : 'json', 'gzip'] as const;
  for (const kind of matrixColumns(ROWS.indexOf(route), kinds, { rows: 2 })) {
    await using service = await startEndlessService(kind);
    const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url });
    expect(outcome.isAccepted, kind).toBe(false);
    expect(service.requests).toBeGreaterThan(0);
    expect(service.sentBytes / service.requests, kind).toBeLessThan(MOST_BYTES);
    expect(outcome.output, kind).toMatch(/too[- _]large|larger than/u);
  }
}

async function keepTheEnd(route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept'): Promise<void> {
  const { isAccepted, text = '' } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: SCRIPT,
  });
  expect(isAccepted).toBe(true);
  expect(text.length).toBeGreaterThan(KEPT_CHARACTERS / 2);
  expect(text.length).toBeLessThanOrEqual(KEPT_CHARACTERS);
  expect(text).toMatch(/the end\n$/u);
}

/** A receipt keeps less than a result of `run()`, and a value is never cut. */
async function keepEndOfRun(): Promise<void> {
  const { isAccepted, text = '' } = await AGENT_ROUTES.runs({ repository: makeRepository(), script: SCRIPT });
  expect(isAccepted).toBe(true);
  expect(text).toHaveLength(RECEIPT_CHARACTERS);
  expect(text).toMatch(/the end\n$/u);
  const letters = `head -c ${RECEIPT_CHARACTERS} /dev/zero | tr '\\0' a`;
  const whole = await AGENT_ROUTES.runs({
    repository: makeRepository(),
    script: `printf '<result>{"text":"'; ${letters}; echo '"}</result>'`,
    options: { output: Output.object({ tag: 'result', schema: z.object({ text: z.string() }) }) },
  });
  expect(whole.value).toEqual({ text: 'a'.repeat(RECEIPT_CHARACTERS) });
}

declareGuarantee('C1', {
  'run/none': () => keepTheEnd('run/none'),
  'run/bubblewrap': () => keepTheEnd('run/bubblewrap'),
  'run/podman': () => keepTheEnd('run/podman'),
  kept: () => keepTheEnd('kept'),
  batch: async () => {
    const { isAccepted, output } = await AGENT_ROUTES.batch({ repository: makeRepository(), script: SCRIPT });
    expect(isAccepted).toBe(true);
    expect(output.length).toBeLessThan(10_000);
  },
  generate: () => refuseEndless('generate'),
  ensemble: () => refuseEndless('ensemble'),
  chat: () => refuseEndless('chat'),
  wire: () => refuseEndless('wire'),
  runs: inBubblewrap(keepEndOfRun),
  command: () => refuseEndless('command'),
});
