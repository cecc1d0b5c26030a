/**
 * A custom ensemble: two fishers played by a model (the stub, offline), and a judge in plain code.
 */
import assert from 'node:assert/strict';
import {
  createEnsemble,
  manifestAgent,
  memoryLedger,
  parseAgentManifest,
  stubProvider,
  toCastMember,
  type EnsembleAgent,
  type EnsembleScenario,
} from '@truecast/ensemble';

// For a real model, use `aiSdkProvider(openAICompatible({ baseURL, model }))` here.
const provider = stubProvider();
const manifestOf = (yaml: string) => parseAgentManifest(yaml, 'two-fishers');
const fisherOf = (name: string) =>
  manifestOf(`{ name: ${name}, persona: You haggle., may_emit: [agent.spoke], schedule: { tick_every: 1 } }`);
const fishers = [await fisherOf('ann'), await fisherOf('ben')];
const judge = await manifestOf(
  '{ name: scale, role: judge, persona: Code., may_emit: [judge.verdict], output_extra_fields: [winner], schedule: { tick_every: 3 } }',
);
const scenario: EnsembleScenario = {
  name: 'two-fishers',
  goal: 'One net is whole, one is torn: agree on who takes which.',
  seed: 'a cold morning',
  genesisText: 'Two nets lie on the quay, {seed}.',
  cast: [...fishers.map((fisher) => toCastMember(fisher, provider.model)), toCastMember(judge, 'code')],
  competition: { kind: 'judged' },
  limits: { turns: 5, calls: 40 },
};

/** The fisher who used fewer words gets the whole net. */
const scale: EnsembleAgent = {
  name: 'scale',
  act: async ({ visible }) => {
    const lines = visible.map(({ actor, payload }) => ({ actor, words: String(payload['text']).split(' ') }));
    const wordsOf = (name: string): number =>
      lines.filter(({ actor }) => actor === name).reduce((sum, { words }) => sum + words.length, 0);
    const winner = wordsOf('ann') <= wordsOf('ben') ? 'ann' : 'ben';
    return { type: 'event', kind: 'judge.verdict', payload: { text: `${winner} was brief.`, winner } };
  },
};

const ledger = memoryLedger({ cast: scenario.cast });
const agents = [...fishers.map((manifest) => manifestAgent({ manifest, scenario, provider })), scale];
const ensemble = await createEnsemble({ scenario, agents, ledger });
const { end } = await ensemble.run();

assert.equal(end?.reason, 'verdict');
for await (const { actor, payload } of ledger.read()) {
  if (typeof payload['text'] === 'string') console.log(`${actor}: ${payload['text']}`);
}
console.log(`winner: ${end.winner}`);
