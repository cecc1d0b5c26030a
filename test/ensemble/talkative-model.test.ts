/**
 * Tests of the shipped scenarios with models that wrap right JSON: a sentence around it, a trailing
 * comma, a cut tail. Each reply is read before another is requested.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stubEvent } from '../../packages/core/src/event-contract/stub-event.ts';
import type { EventContractOptions } from '../../packages/core/src/event-contract/event-options.ts';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import { loadEnsemble } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { toEnsembleScenario } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { aiSdkProvider } from '../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import type { Provider } from '../../packages/ensemble/src/providers/provider.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

const FOLDER = join(import.meta.dirname, '../../packages/ensemble/ensembles');
const HABITS: Readonly<Record<string, (json: string) => string>> = {
  'a sentence around it': (json) => `Sure! Here is my answer: ${json} Enjoy!`,
  'a trailing comma': (json) => json.replace(/\}$/u, ',}'),
  'a missing brace': (json) => json.replace(/\}$/u, ''),
};

const CASES = ['museum-boat', 'forged-portrait'].flatMap((scenario) =>
  Object.entries(HABITS).map(([habit, wrap]) => ({ scenario, habit, wrap })),
);

it.each(CASES)('$scenario ends in a verdict, with one call per event: $habit', async ({ scenario, wrap }) => {
  let contract: EventContractOptions | undefined;
  await using server = await scriptedModelServer({
    script: ({ system, userText }) =>
      reply.text(wrap(stubEvent({ allowedKinds: [], ...contract, seed: system + userText }))),
  });
  const { completeStructured, ...model } = aiSdkProvider(
    openAICompatible({ baseURL: server.openaiUrl, model: 'tiny' }),
  );
  const provider: Provider = {
    ...model,
    completeStructured: (request) => {
      contract = request.contract;
      return completeStructured?.(request) ?? Promise.reject(new TypeError('no structured route'));
    },
  };
  const folder = await loadEnsemble(FOLDER, { env: {} });
  const manifest = folder.scenarios.get(scenario);
  if (manifest === undefined) throw new RangeError(scenario);
  const play = toEnsembleScenario(manifest, folder, { modelOf: () => 'tiny' });
  const members = [...folder.agents.values()].filter(({ name }) => manifest.cast.includes(name));
  const ledger = memoryLedger({ cast: play.cast });
  const agents = members.map((member) => manifestAgent({ manifest: member, scenario: play, provider }));
  const { end } = await (await createEnsemble({ scenario: play, agents, ledger })).run();
  expect(end?.reason).toBe('verdict');
  let events = 0;
  for await (const { provenance } of ledger.read()) if (provenance !== undefined) events += 1;
  expect(server.requests.length / events).toBeLessThanOrEqual(1.1);
});
