/**
 * Checks that `@truecast/ensemble` and its command load without the packages that only parts of them
 * need: models, databases and manifests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { commandFile, sharedPackages } from '../package/shared-build.ts';

/** Packages that the loader refuses as if they were not installed. */
const REMOVED = /^(?:ai|@ai-sdk\/.*|kysely|pg|pg-boss|node:sqlite|yaml|zod)$/u;

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

it('plays with the stub if the packages of models, databases and manifests are removed, and reports a missing one that is needed', async () => {
  // In CI as the packages are published, which loads in a third of the processor time.
  const entry =
    process.env['TRUECAST_COMMAND'] === 'built'
      ? join(await sharedPackages(), '@truecast/ensemble/dist/index.mjs')
      : join(import.meta.dirname, '../../packages/ensemble/src/index.ts');
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', PROGRAM, entry]);
  expect(JSON.parse(stdout)).toEqual({
    tier: 'strict',
    turn: 2,
    refused: 'removed: ai',
  });
});

const COUNTING = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/^(?:yaml|zod)(?:\\/|$)/u.test(specifier)) console.error('loaded ' + specifier);
    return next(specifier, context);
  },
});
`;

it.each([
  ['replay', false],
  ['report', false],
  ['leaderboard', false],
  ['list', true],
])('`truecast ensemble %s` loads the parser of manifests: %s', async (name, loads) => {
  const cwd = mkdtempSync(join(tmpdir(), 'truecast-lazily-'));
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(COUNTING)}`,
    await commandFile(),
    'ensemble',
    name,
  ];
  const { stderr } = await execa(process.execPath, args, {
    cwd,
    env: { XDG_STATE_HOME: cwd },
    reject: false,
  });
  rmSync(cwd, { recursive: true, force: true });
  expect(/^loaded (?:yaml|zod)/mu.test(stderr)).toBe(loads);
});
