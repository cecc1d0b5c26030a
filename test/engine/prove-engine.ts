/**
 * Proof with a real inference engine: llama.cpp decodes under the schemas of `generate()` and of
 * events, with a model that this program makes. Run by `npm run proof:engine`. Not part of CI.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import { loadEnsemble } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { toEnsembleScenario } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { foldEvaluation, type Evaluation } from '../../packages/ensemble/src/projections/evaluation.ts';
import { aiSdkProvider } from '../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { bigramGguf } from './bigram-gguf.ts';
import { engineServer } from './engine-server.ts';

/** A sentence ends a string, so that strings stay short. */
const CORPUS = '"The lamp hums in the fog." "A gull calls over the pier." "The tide is out." ';
const FOLDER = join(import.meta.dirname, '../../packages/ensemble/ensembles');

const SCHEMAS = {
  text: z.strictObject({ text: z.string().min(1) }),
  enum: z.strictObject({ severity: z.enum(['low', 'medium', 'high']) }),
  // This engine's grammar has no bounds of numbers.
  number: z.strictObject({ moons: z.literal([0, 1, 2]) }),
  flag: z.strictObject({ isBug: z.boolean(), note: z.string() }),
  list: z.strictObject({
    tags: z
      .array(z.enum(['a', 'b', 'c']))
      .min(1)
      .max(3),
  }),
  nested: z.strictObject({ place: z.strictObject({ name: z.string(), isOpen: z.boolean() }) }),
};

const folder = mkdtempSync(join(tmpdir(), 'truecast-engine-'));
const modelPath = join(folder, 'bigram.gguf');
writeFileSync(modelPath, bigramGguf(CORPUS.repeat(8)));
try {
  await proveGenerate();
  await proveEnsemble();
  await proveWithoutGrammar();
  say('Proved.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The engine keeps threads.
process.exit(0);

/** Under the grammar, each schema is valid at the first try. */
async function proveGenerate(): Promise<void> {
  await using server = await engineServer(modelPath, { decodes: true });
  const model = openAICompatible({ baseURL: server.url, model: 'bigram' });
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const output = Output.object({ schema });
    const { output: value, provenance } = await generate({ model, prompt: 'Answer.', output, seed: 1 });
    assert.equal(provenance.route, 'native');
    assert.deepEqual(
      provenance.attempts.map(({ code }) => code),
      ['ok'],
      name,
    );
    say(`generate, ${name}: ${JSON.stringify(value)}`);
  }
}

/** Under the grammar, each event is valid. A repeated line is asked for again. */
async function proveEnsemble(): Promise<void> {
  await using server = await engineServer(modelPath, { decodes: true });
  const { evaluation, reason } = await play('museum-boat', server.url);
  show('ensemble with the grammar', evaluation, reason);
  assert.ok(reason === 'verdict' || reason === 'turns', reason);
  assert.equal(evaluation.valid.rate, 1);
  assert.ok(evaluation.firstTry.rate >= 0.8);
}

/** Without the grammar the model never writes JSON. The run still ends as it should. */
async function proveWithoutGrammar(): Promise<void> {
  await using server = await engineServer(modelPath, { decodes: false });
  const { evaluation, reason } = await play('museum-boat', server.url);
  show('ensemble without the grammar', evaluation, reason);
  assert.notEqual(reason, 'failed');
  assert.equal(evaluation.firstTry.successes, 0);
}

async function play(
  name: string,
  url: string,
): Promise<{ readonly evaluation: Evaluation; readonly reason: string | undefined }> {
  const manifests = await loadEnsemble(FOLDER, { env: {} });
  const manifest = manifests.scenarios.get(name);
  assert.ok(manifest);
  const scenario = toEnsembleScenario(manifest, manifests, { modelOf: () => 'bigram' });
  const provider = aiSdkProvider(openAICompatible({ baseURL: url, model: 'bigram' }), { maxRetries: 1 });
  const ledger = memoryLedger({ cast: scenario.cast });
  const members = [...manifests.agents.values()].filter((agent) => manifest.cast.includes(agent.name));
  const agents = members.map((agent) => manifestAgent({ manifest: agent, scenario, provider }));
  const limits = { ...manifest.governor, turns: 6 };
  const { end } = await (await createEnsemble({ scenario, agents, ledger, limits })).run();
  const evaluation = foldEvaluation();
  for await (const event of ledger.read()) evaluation.apply(event);
  return { evaluation: evaluation.read(), reason: end?.reason };
}

function show(what: string, { firstTry, valid, calls }: Evaluation, reason: string | undefined): void {
  const rates = `${firstTry.successes} of ${firstTry.trials} valid at the first try, ${valid.successes} in the end`;
  say(`${what}: ${reason}, ${rates}, ${calls} calls`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
