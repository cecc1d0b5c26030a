/** Tests that a limit in dollars ends a run whose prices come from `models.yaml`. */
import { expect, it } from 'vitest';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import { createModelRouter } from '../../packages/ensemble/src/manifest/model-router.ts';
import { readEnsemble } from '../../packages/ensemble/src/manifest/read-ensemble.ts';
import { toEnsembleScenario } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

const AGENT =
  'name: ada\npersona: A keeper.\nmay_emit: [agent.spoke]\nschedule: { tick_every: 1, max_consecutive: 9 }';
const SCENARIO = `name: watch
title: The watch
goal: Keep the light.
default_seed: fog
cast: [ada]
genesis_text: A lamp burns.
governor: { max_turns: 9, hourly_budget_usd: 0.005 }`;

function modelsAt(endpoint: string): string {
  return `profiles:
  fast:
    endpoint: ${endpoint}
    model: tiny
    prices: { input_usd_per_million: 1, output_usd_per_million: 10 }`;
}

it('ends the run at the first call that reaches the limit', async () => {
  let calls = 0;
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: () =>
      reply.text(JSON.stringify({ kind: 'agent.spoke', text: `Ship ${(calls += 1)}.` }), {
        usage: { inputTokens: 1_000, outputTokens: 100 },
      }),
  });
  const read = readEnsemble(
    {
      agents: [{ file: 'ada.yaml', text: AGENT }],
      scenarios: [{ file: 'watch.yaml', text: SCENARIO }],
      models: { file: 'models.yaml', text: modelsAt(server.openaiUrl) },
    },
    { env: {} },
  );
  if (!read.success) throw new TypeError(JSON.stringify(read.problems));
  const { agents, scenarios, models } = read.ensemble;
  const [manifest, scene] = [agents.get('ada'), scenarios.get('watch')];
  if (manifest === undefined || scene === undefined || models === undefined) throw new TypeError('read');
  const router = createModelRouter({ env: {}, models });
  const scenario = toEnsembleScenario(scene, read.ensemble, { modelOf: () => 'tiny' });
  const ledger = memoryLedger({ cast: scenario.cast });
  const agent = manifestAgent({ manifest, scenario, provider: router.providerOf(manifest) });
  const { end } = await (await createEnsemble({ scenario, agents: [agent], ledger })).run();
  expect(end?.reason).toBe('budget');
  const costs: unknown[] = [];
  for await (const { kind, payload } of ledger.read()) {
    if (kind === 'model.called') {
      costs.push(Object.entries(payload['usage'] ?? {}).find(([name]) => name === 'costUsd')?.[1]);
    }
    if (kind === 'run.closing') expect(payload['limit']).toBe('usd-per-hour');
  }
  expect(costs).toEqual([0.002, 0.002, 0.002]);
  expect(server.requests).toHaveLength(3);
});
