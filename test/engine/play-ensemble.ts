/** Ensemble leg of the proof: some turns of a shipped scenario on the engine. */
import { join } from 'node:path';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import { loadEnsemble } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { toEnsembleScenario } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { foldEvaluation } from '../../packages/ensemble/src/projections/evaluation.ts';
import { aiSdkProvider } from '../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import type { AskedEngine } from './askers/asker.ts';

const FOLDER = join(import.meta.dirname, '../../packages/ensemble/ensembles');
const SCENARIO = 'museum-boat';
const TURNS = 6;

/** Plays, and returns one line of what came. */
export async function playEnsemble({ url, model: name, apiKey }: AskedEngine): Promise<string> {
  const manifests = await loadEnsemble(FOLDER, { env: {} });
  const manifest = manifests.scenarios.get(SCENARIO);
  if (manifest === undefined) throw new Error(`There is no scenario ${SCENARIO}.`);
  const scenario = toEnsembleScenario(manifest, manifests, { modelOf: () => name });
  const model = openAICompatible({ baseURL: url, model: name, ...(apiKey !== undefined && { apiKey }) });
  const provider = aiSdkProvider(model, { maxRetries: 2 });
  const ledger = memoryLedger({ cast: scenario.cast });
  const members = [...manifests.agents.values()].filter((agent) => manifest.cast.includes(agent.name));
  const agents = members.map((agent) => manifestAgent({ manifest: agent, scenario, provider }));
  const limits = { ...manifest.governor, turns: TURNS };
  const { end } = await (await createEnsemble({ scenario, agents, ledger, limits })).run();
  const evaluation = foldEvaluation();
  for await (const event of ledger.read()) evaluation.apply(event);
  const { firstTry, valid, calls } = evaluation.read();
  return `Ensemble: ${end?.reason}, ${firstTry.successes} of ${firstTry.trials} events valid at the first try, ${valid.successes} in the end, ${calls} calls.`;
}
