/**
 * Checks that `@truecast/ensemble` loads without the packages that only parts of it need: models and
 * databases.
 */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

/** Packages that the loader refuses as if they were not installed. */
const REMOVED = /^(?:ai|@ai-sdk\/.*|kysely|pg|pg-boss|node:sqlite)$/u;

const PROGRAM = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (${REMOVED}.test(specifier)) throw new TypeError('removed: ' + specifier);
    return next(specifier, context);
  },
});
const truecast = await import(process.argv[1]);
const contract = { allowedKinds: ['agent.spoke'], extraFields: ['mood'] };
const raw = truecast.stubEvent(contract);
const { tier } = truecast.parseAgentOutput(raw, { ...contract, fallbackKind: 'agent.spoke' });
const manifest = {
  name: 'keeper', role: 'worker', persona: 'You keep the lighthouse.', subscribesTo: [], mayEmit: ['agent.spoke'],
  schedule: { tickEvery: 0, maxConsecutive: 3 }, modelProfile: 'fast', outputExtraFields: ['mood'],
  memory: { window: 8, useSalience: false, salienceTopK: 8 },
};
const cast = [{ ...manifest, tickEvery: 0, maxConsecutive: 3, model: 'stub' }];
const scenario = { name: 'a', goal: 'b', seed: 'c', genesisText: 'd', cast };
const agents = [truecast.manifestAgent({ manifest, provider: truecast.stubProvider(), scenario })];
const ensemble = await truecast.createEnsemble({ scenario, agents, ledger: truecast.memoryLedger({ cast }) });
const { turn } = await ensemble.run({ turns: 2 });
const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doGenerate() {}, doStream() {} };
const asking = truecast.manifestAgent({ manifest, provider: truecast.aiSdkProvider(model), scenario }).act({
  runId: 'r', turn: 1, seed: 's', visible: [], unreflected: 0, scene: '', isLast: false, signal: new AbortController().signal,
  charge: async () => undefined,
});
const refused = await asking.catch((error) => error.message);
console.log(JSON.stringify({ tier, turn, refused }));
`;

it('plays with the stub if the packages of models and databases are removed, and reports a missing one that is needed', async () => {
  const entry = fileURLToPath(new URL('../../packages/ensemble/src/index.ts', import.meta.url));
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', PROGRAM, entry]);
  expect(JSON.parse(stdout)).toEqual({
    tier: 'strict',
    turn: 2,
    refused: 'removed: ai',
  });
});
