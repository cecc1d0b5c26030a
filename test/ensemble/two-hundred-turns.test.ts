/**
 * Runs manifests and the stub for 200 turns on disk (60 in the short form): identical twice, and identical after
 * interruptions.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { stubProvider } from '../../packages/ensemble/src/providers/stub-provider.ts';
import {
  createEnsemble,
  resumeEnsemble,
  type ResumeOptions,
} from '../../packages/ensemble/src/conductor/ensemble.ts';
import { breakingLedger, eventsOf, storyOf } from '../../packages/ensemble/src/conductor/test-ensemble.ts';
import type { EnsembleScenario } from '../../packages/ensemble/src/scenario/ensemble-scenario.ts';
import { openLedger, type OpenedLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import type { AgentManifest } from '../../packages/ensemble/src/manifest/agent-manifest.ts';
import { parseAgentManifest } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { toCastMember } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { matrixRuns } from '../matrix.ts';

const TURNS = matrixRuns(60, 200);
const CUTS = matrixRuns(6, 20);

const YAML = {
  ada: 'may_emit: [agent.spoke, clue.found]\nschedule: { tick_every: 1, max_consecutive: 2 }\noutput_extra_fields: [mood]',
  bo: 'may_emit: [agent.spoke]\nsubscribes_to: [clue.found]\nschedule: { tick_every: 1 }\nmemory: { use_salience: true, reflection_threshold: 9 }',
  cy: 'role: observer\nmay_emit: [world.observed]\nschedule: { tick_every: 2 }\nsubscribes_to: [{ kind: agent.spoke, when: { mood: restless } }]',
  judge:
    'role: judge\nmay_emit: [judge.verdict]\nschedule: { tick_every: 3, max_consecutive: 1 }\noutput_extra_fields: [winner, scores]',
};
const MANIFESTS: readonly AgentManifest[] = await Promise.all(
  Object.entries(YAML).map(([name, fields]) =>
    parseAgentManifest(`name: ${name}\npersona: You are ${name}.\n${fields}\n`, `${name}.yaml`),
  ),
);
const SCENARIO: EnsembleScenario = {
  name: 'long-night',
  goal: 'See the night through.',
  seed: 'fog',
  genesisText: 'The harbour lies in {seed}.',
  cast: MANIFESTS.map((manifest) => toCastMember(manifest, 'stub')),
  competition: { kind: 'none' },
  limits: { turns: TURNS, calls: 10_000 },
};

let folder: string;
let whole: readonly unknown[];
const opened: OpenedLedger[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truecast-turns-'));
  whole = await played('whole.sqlite');
});
afterAll(async () => {
  for (const ledger of opened.splice(0)) await ledger.close();
  await rm(folder, { recursive: true });
});

async function partsOn(file: string): Promise<ResumeOptions & { readonly ledger: OpenedLedger }> {
  const ledger = await openLedger({ url: join(folder, file), cast: SCENARIO.cast });
  opened.push(ledger);
  const agents = MANIFESTS.map((manifest) =>
    manifestAgent({ manifest, scenario: SCENARIO, provider: stubProvider() }),
  );
  return { scenario: SCENARIO, agents, ledger, runId: 'run-1' };
}

async function played(file: string): Promise<unknown[]> {
  const parts = await partsOn(file);
  await (await createEnsemble(parts)).run();
  return storyOf(await eventsOf(parts.ledger));
}

it(`plays ${TURNS} turns of four, twice to the same ledger`, { timeout: 240_000 }, async () => {
  expect(whole.length).toBeGreaterThan(6 * TURNS);
  expect(await played('second.sqlite')).toEqual(whole);
});

it(
  `produces the same ledger when it is interrupted at ${CUTS} random appends`,
  { timeout: 240_000 },
  async () => {
    const parts = await partsOn('cut.sqlite');
    const cuts = Array.from({ length: CUTS }, () => 1 + Math.floor(Math.random() * 60));
    for (const [index, appends] of cuts.entries()) {
      const ledger = breakingLedger(parts.ledger, appends, appends % 2 === 0);
      const play = index === 0 ? createEnsemble({ ...parts, ledger }) : resumeEnsemble({ ...parts, ledger });
      await expect((await play).run()).rejects.toThrow('The power went out.');
    }
    await (await resumeEnsemble(parts)).run();
    expect(storyOf(await eventsOf(parts.ledger)), `cut off after ${cuts.join(' ')}`).toEqual(whole);
  },
);
