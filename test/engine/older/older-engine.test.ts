/**
 * Proof on the older kind of engine: 40 schemas on an imitated server of llama-cpp-python, whose process ends
 * with what its converter cannot read. It needs no weights.
 */
import { expect, it } from 'vitest';
import { MAX_CALLS, type Asker } from '../askers/asker.ts';
import { OUR_ASKERS } from '../askers/our-askers.ts';
import { SERVER_ASKERS } from '../askers/server-askers.ts';
import { countingProxy } from '../counting-proxy.ts';
import { FORM_CASES } from '../form-cases.ts';
import { matrixColumns } from '../../matrix.ts';
import { runLeg } from '../run-leg.ts';
import { jsonSchemaOf } from '../validators.ts';
import { startOlderEngine } from './older-engine.ts';

const SERVED_CALLS = 5;

it.each([
  ['generate()', 'auto', MAX_CALLS, 0],
  ['generate() with a tool', 'tool', MAX_CALLS, 1],
  ["OpenAI's client through /v1", 'wire', SERVED_CALLS, 2],
  ['a forced function through /v1', 'function', SERVED_CALLS, 3],
  ['a chat message with a format', 'chat', SERVED_CALLS, 4],
])('%s has 38 right values of 40, and the process never ends', async (_who, id, maxCalls, row) => {
  const forms = matrixColumns(row, FORM_CASES, { rows: 5, stride: 2 });
  await using engine = await startOlderEngine();
  await using proxy = await countingProxy(engine.url);
  const asker = [...OUR_ASKERS, ...SERVER_ASKERS].find((each) => each.id === id) as Asker;
  const result = await runLeg(asker, proxy, { forms, seeds: 1, model: engine.model });
  expect(await engine.isAlive()).toBe(true);
  expect(result.wrong).toBe(0);
  // The helper of OpenAI's client cannot express four of them.
  expect(result.asked).toBeGreaterThanOrEqual(forms.length - 4);
  expect(result.accepted / result.asked).toBeGreaterThanOrEqual(38 / 40);
  expect(result.calls).toBeLessThanOrEqual(result.asked * maxCalls);
  expect(engine.requests()).toBeGreaterThanOrEqual(result.asked);
});

it('the process ends with the schemas as their libraries write them', async () => {
  let ended = 0;
  for (const form of FORM_CASES) {
    await using engine = await startOlderEngine();
    const body = {
      model: engine.model,
      messages: [{ role: 'user', content: form.prompt }],
      response_format: { type: 'json_object', schema: jsonSchemaOf(form) },
    };
    await fetch(`${engine.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (!(await engine.isAlive())) ended += 1;
  }
  expect(ended).toBeGreaterThanOrEqual(10);
});
