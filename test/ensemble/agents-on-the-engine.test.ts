/**
 * Runs manifest agents on the real conductor and ledger: an answer from any rung is a regular
 * event.
 */
import { expect, it } from 'vitest';
import { aiSdkProvider } from '../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import type { Provider } from '../../packages/ensemble/src/providers/provider.ts';
import { stubProvider } from '../../packages/ensemble/src/providers/stub-provider.ts';
import { JUDGE, manifestOf } from '../../packages/ensemble/src/agent/test-turns.ts';
import type {
  EnsembleLimits,
  EnsembleScenario,
} from '../../packages/ensemble/src/scenario/ensemble-scenario.ts';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import type { AgentManifest } from '../../packages/ensemble/src/manifest/agent-manifest.ts';
import { toCastMember } from '../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

const SPEAKERS: readonly AgentManifest[] = ['ada', 'bob'].map((name) =>
  manifestOf({ name, outputExtraFields: ['mood'] }),
);
const ARBITER: AgentManifest = { ...JUDGE, schedule: { tickEvery: 3, maxConsecutive: 1 } };

function scenarioOf(manifests: readonly AgentManifest[], limits: EnsembleLimits): EnsembleScenario {
  return {
    name: 'harbour',
    goal: 'Find the better liar.',
    seed: 'fog',
    genesisText: 'The harbour lies in {seed}.',
    cast: manifests.map((manifest) => ({ ...toCastMember(manifest, 'any'), memory: { window: 80 } })),
    competition: { kind: 'judged' },
    limits,
  };
}

async function play(
  provider: Provider,
  limits: EnsembleLimits = {},
  manifests: readonly AgentManifest[] = [...SPEAKERS, ARBITER],
) {
  const scenario = scenarioOf(manifests, limits);
  const agents = manifests.map((manifest) => manifestAgent({ manifest, provider, scenario }));
  const events: LedgerEvent[] = [];
  const ensemble = await createEnsemble({
    scenario,
    agents,
    ledger: memoryLedger({ cast: scenario.cast }),
    onEvent: (event) => void events.push(event),
  });
  const { end } = await ensemble.run({ turns: 8 });
  return { events, end, said: events.filter(({ actor }) => manifests.some(({ name }) => name === actor)) };
}

/** Everything except the fields that differ in each run. */
function lasting(events: readonly LedgerEvent[]): unknown {
  const ids = new Map(events.map(({ id }, index) => [id, index]));
  return events.map(({ id, runId: _runId, createdAt: _createdAt, causedBy, ...event }) => ({
    ...event,
    id: ids.get(id),
    causedBy: ids.get(causedBy ?? ''),
  }));
}

it('plays the same ledger from the same seed and stub, up to a winner', async () => {
  const [one, other, third] = await Promise.all(['a', 'a', 'b'].map((seed) => play(stubProvider({ seed }))));
  expect(one?.end).toMatchObject({ reason: 'verdict', winner: expect.stringMatching(/^(?:ada|bob)$/u) });
  expect(lasting(one?.events ?? [])).toEqual(lasting(other?.events ?? []));
  expect(lasting(one?.events ?? [])).not.toEqual(lasting(third?.events ?? []));
  const calls = one?.events.filter(({ kind }) => kind === 'model.called') ?? [];
  expect(calls).toHaveLength(one?.said.length ?? 0);
});

it('writes the same events for the validated path and the prompted path', async () => {
  await using server = await scriptedModelServer({
    script: ({ jsonSchema, tools, userText }) => {
      const isJudge = JSON.stringify([jsonSchema, tools, userText]).includes('winner');
      const [tool] = tools;
      const answer = isJudge
        ? { kind: 'judge.verdict', text: 'Bob.', winner: 'Bob', scores: { BOB: 11 } }
        : { kind: 'agent.spoke', text: 'Fog.', mood: 'calm' };
      return tool === undefined
        ? reply.text(JSON.stringify(answer))
        : reply.tool(tool.name, { output: answer });
    },
  });
  const live = await play(aiSdkProvider(openAICompatible({ baseURL: server.openaiUrl, model: 'm' })));
  const offline = await play(stubProvider());
  expect(live.end).toMatchObject({ reason: 'verdict', winner: 'bob' });
  expect(live.said.every(({ provenance }) => provenance?.rung === 'validated')).toBe(true);
  const shape = (events: readonly LedgerEvent[]) =>
    events.map(({ kind, actor, turn, payload }) => [kind, actor, turn, Object.keys(payload)]);
  expect(shape(live.said)).toEqual(shape(offline.said));
});

it('records a turn without text as skipped, with its tier, and continues', async () => {
  const silent: Provider = {
    ...stubProvider(),
    complete: async () => ({
      text: '',
      usage: { inputTokens: 1, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
    }),
  };
  const { events } = await play(silent, { turns: 2 }, SPEAKERS);
  const skipped = events.filter(({ kind }) => kind === 'agent.skipped');
  expect(skipped.length).toBeGreaterThan(2);
  expect(skipped[0]).toMatchObject({ payload: { agent: 'ada', tier: 'raw' }, provenance: { rung: 'raw' } });
});

it('ends when a call exceeds the budget, after the judge’s last word', async () => {
  const { end, said } = await play(stubProvider(), { calls: 3 });
  expect(end).toMatchObject({ reason: 'budget', winner: expect.any(String) });
  expect(said.at(-1)).toMatchObject({ kind: 'judge.verdict' });
});

it('reflects after enough events, and then resets the count', async () => {
  const memory = { window: 8, useSalience: false, salienceTopK: 8, reflectionThreshold: 4 };
  const thinker = manifestOf({ name: 'ada', memory, schedule: { tickEvery: 1, maxConsecutive: 9 } });
  const { said } = await play(stubProvider(), { turns: 8 }, [thinker, SPEAKERS[1] ?? thinker]);
  const turns = said.filter(({ kind }) => kind === 'agent.reflected').map(({ turn }) => turn);
  expect(turns.length).toBeGreaterThan(1);
  expect(turns.every((turn, index) => index === 0 || turn - (turns[index - 1] ?? 0) >= 2)).toBe(true);
});
