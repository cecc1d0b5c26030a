/**
 * Tests event agents against the sentences of their original specification. Each test is named
 * after one. The live path is the real SDK over HTTP.
 */
import { describe, expect, it } from 'vitest';
import { aiSdkProvider } from '../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import type { AgentAct } from '../../packages/ensemble/src/scenario/ensemble-agent.ts';
import { manifestAgent } from '../../packages/ensemble/src/agent/manifest-agent.ts';
import { stubProvider } from '../../packages/ensemble/src/providers/stub-provider.ts';
import {
  CONTEST,
  JUDGE,
  manifestOf,
  turnOf,
  wordsProvider,
} from '../../packages/ensemble/src/agent/test-turns.ts';
import { eventSchema } from '../../packages/core/src/event-contract/event-schema.ts';
import { jsonInstruction } from '../../packages/core/src/event-contract/json-instruction.ts';
import { parseAgentOutput } from '../../packages/core/src/event-contract/parse-agent-output.ts';
import type { AgentManifest } from '../../packages/ensemble/src/manifest/agent-manifest.ts';
import { MODELS, type MakeModel } from '../../packages/model/src/test-models.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

const SPEAKER = { allowedKinds: ['agent.spoke'], fallbackKind: 'agent.spoke' } as const;
const SCENE = { allowedKinds: ['world.observed'], fallbackKind: 'world.observed' } as const;
const compatible: MakeModel = MODELS['openai compatible'] ?? (() => never());

function never(): never {
  throw new RangeError('no such model');
}

async function issuesOf(
  options: Parameters<typeof eventSchema>[0],
  value: unknown,
): Promise<readonly unknown[]> {
  return (await eventSchema(options)['~standard'].validate(value)).issues ?? [];
}

async function played(
  script: ModelScript,
  manifest: AgentManifest,
  { makeModel = compatible, scenario = {}, maxRetries = 2 } = {},
) {
  await using server = await scriptedModelServer({ script, localServer: 'llama.cpp' });
  const turn = turnOf();
  const provider = aiSdkProvider(makeModel(server), { maxRetries });
  const act = await manifestAgent({ manifest, provider, scenario }).act(turn);
  return { act, turn, requests: server.requests, turns: server.turns };
}

function payloadOf(act: AgentAct): Readonly<Record<string, unknown>> {
  return act.type === 'event' ? act.payload : {};
}

/**
 * An answer in each wire's format. If a dialect accepts no schema with free keys, the tool is used.
 */
function answering(answer: Readonly<Record<string, JsonValue>>): ModelScript {
  return ({ tools }) => {
    const [tool] = tools;
    return tool === undefined
      ? reply.text(JSON.stringify(answer))
      : reply.tool(tool.name, { output: answer });
  };
}

describe('The constraint block', () => {
  it('Every agent prompt ends with an OUTPUT FORMAT block', async () => {
    const provider = wordsProvider(['{"kind":"agent.spoke","text":"Fog."}']);
    await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf());
    const block = jsonInstruction({ allowedKinds: ['agent.spoke'] });
    expect(block).toMatch(/^OUTPUT FORMAT\nReply with a single JSON object and nothing else/u);
    expect(provider.asked[0]?.prompt.endsWith(`\n\n${block}`)).toBe(true);
  });

  it('tell the model exactly what shape to output, every time', async () => {
    const { turns } = await played(() => reply.text('{"kind":"agent.spoke","text":"Fog."}'), manifestOf());
    expect(turns).toHaveLength(1);
    expect(turns[0]?.userText).toMatch(
      /\n\nOUTPUT FORMAT\n[^]*Schema: \{"kind": "\.\.\.", "text": "\.\.\."\}/u,
    );
  });

  it('This block is not provider-native tool/function-calling — it works with any model on any inference endpoint', async () => {
    const { requests, act } = await played(
      ({ tools, jsonSchema }) =>
        tools.length > 0 || jsonSchema !== undefined
          ? reply.error(400, { message: 'tools and response_format json_schema are not supported' })
          : reply.text('{"kind":"agent.spoke","text":"Fog."}'),
      manifestOf(),
    );
    expect(payloadOf(act)).toEqual({ text: 'Fog.' });
    expect(requests.at(-1)?.body).not.toHaveProperty('tools');
  });
});

describe('The parser', () => {
  it('Tier 1: Direct JSON parse', () => {
    const raw = '{"kind": "world.observed", "text": "The path folds itself into a paper crane."}';
    expect(parseAgentOutput(raw, SCENE)).toMatchObject({ tier: 'strict', payload: JSON.parse(raw) });
  });

  it('Tier 2: Extract embedded JSON', () => {
    const raw = 'Certainly! Here is the JSON: {"kind": "agent.spoke", "text": "I collect echoes."}';
    expect(parseAgentOutput(raw, SPEAKER)).toMatchObject({
      tier: 'embedded',
      payload: { kind: 'agent.spoke', text: 'I collect echoes.' },
    });
  });

  it('Tier 3: Fallback wrap — the raw text is wrapped in the fallback kind', () => {
    const raw = 'The mushrooms charge admission to their bioluminescent shows.';
    expect(parseAgentOutput(raw, SPEAKER)).toMatchObject({
      tier: 'raw',
      payload: { kind: 'agent.spoke', text: raw, _raw_fallback: true },
    });
  });

  it('The `_raw_fallback` flag lets the system log how often the model isn’t complying', async () => {
    const provider = wordsProvider(['The mushrooms charge admission.']);
    const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf());
    expect(act).toMatchObject({
      type: 'event',
      kind: 'agent.spoke',
      payload: { text: 'The mushrooms charge admission.', _raw_fallback: true },
      provenance: { path: 'prompted', rung: 'raw', tier: 'raw', attempts: 0 },
    });
  });
});

describe('Kind validation', () => {
  it('if model emits "judge.verdict" → replaced with "world.observed"', async () => {
    const provider = wordsProvider(['{"kind":"judge.verdict","text":"Ada wins."}']);
    const manifest = manifestOf({ mayEmit: ['world.observed'] });
    const act = await manifestAgent({ manifest, provider }).act(turnOf());
    expect(act).toMatchObject({
      kind: 'world.observed',
      payload: { text: 'Ada wins.' },
      provenance: { requestedKind: 'judge.verdict', violations: [{ code: 'kind-not-granted' }] },
    });
  });

  it('an agent cannot emit an event kind it isn’t authorised to emit, even if the model tries', async () => {
    const { act, turns } = await played(
      () => reply.text('{"kind":"judge.verdict","text":"Ada wins."}'),
      manifestOf({ mayEmit: ['world.observed', 'agent.spoke'] }),
    );
    expect(act).toMatchObject({ kind: 'world.observed', provenance: { requestedKind: 'judge.verdict' } });
    expect(turns).toHaveLength(3);
  });
});

describe('Extra payload fields', () => {
  it('These fields are preserved in the event payload alongside `text` and `kind`', async () => {
    const manifest = manifestOf({ outputExtraFields: ['emotion', 'wants'] });
    const provider = wordsProvider([
      '{"kind":"agent.spoke","text":"Fog.","emotion":"desperate","wants":"oil","secret":"x"}',
    ]);
    const act = await manifestAgent({ manifest, provider }).act(turnOf());
    expect(payloadOf(act)).toEqual({ text: 'Fog.', emotion: 'desperate', wants: 'oil' });
    expect(provider.asked[0]?.prompt).toContain('"emotion": "...", "wants": "..."');
  });
});

describe('Validated output (live path)', () => {
  describe.each(Object.entries(MODELS))('with the provider of %s', (_name, makeModel) => {
    it('the payload is valid by construction, so the `_raw_fallback` tier is never taken on the live path', async () => {
      const manifest = manifestOf({ outputExtraFields: ['emotion'] });
      const answer = { kind: 'agent.spoke', text: 'Fog.', emotion: 'calm' };
      const { act, turn } = await played(answering(answer), manifest, { makeModel });
      expect(act).toMatchObject({
        type: 'event',
        kind: 'agent.spoke',
        provenance: { path: 'validated', rung: 'validated', attempts: 1 },
      });
      expect(payloadOf(act)).toEqual({ text: 'Fog.', emotion: 'calm' });
      expect(turn.charged).toMatchObject([{ code: 'ok' }]);
    });

    it('a verdict’s winner and scores travel too', async () => {
      const answer = { kind: 'judge.verdict', text: 'Bob.', winner: 'bob', scores: { bob: 7 } };
      const { act } = await played(answering(answer), JUDGE, { makeModel, scenario: CONTEST });
      expect(payloadOf(act)).toEqual({ text: 'Bob.', winner: 'bob', scores: { bob: 7 } });
    });

    it('scores are coerced, labelled, and never asked for again', async () => {
      const scores = { bob: '7', 'ada-lovelace': 'high' };
      const answer = { kind: 'judge.verdict', text: 'Bob.', winner: 'bob', scores };
      const { act, turns } = await played(answering(answer), JUDGE, { makeModel, scenario: CONTEST });
      expect(payloadOf(act)).toEqual({ text: 'Bob.', winner: 'bob', scores: { bob: 7 } });
      expect(act).toMatchObject({
        provenance: {
          repairs: [
            { kind: 'coerced-number', path: ['scores', 'bob'] },
            { kind: 'dropped-value', path: ['scores', 'ada-lovelace'] },
          ],
        },
      });
      expect(turns).toHaveLength(1);
    });

    it('an endless text is shortened, labelled, and not asked for again', async () => {
      const answer = { kind: 'agent.spoke', text: 'huge '.repeat(20_000) };
      const { act, turns } = await played(answering(answer), manifestOf(), { makeModel });
      expect(String(payloadOf(act)['text'])).toHaveLength(1_000);
      expect(act).toMatchObject({ provenance: { repairs: [{ kind: 'shortened', path: ['text'] }] } });
      expect(turns).toHaveLength(1);
    });

    it('the model is retried until it validates', async () => {
      const { act, turn } = await played(
        [
          reply.text('{"kind":"judge.verdict","text":"Mine."}'),
          reply.text('{"kind":"agent.spoke","text":"Fog."}'),
        ],
        manifestOf(),
        { makeModel },
      );
      expect(act).toMatchObject({ kind: 'agent.spoke', provenance: { rung: 'validated', attempts: 2 } });
      expect(turn.charged.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
    });
  });

  it('a kind outside the grant fails validation; text and emotion are required', async () => {
    const options = { allowedKinds: ['world.observed'], extraFields: ['emotion'] };
    const valid = { kind: 'world.observed', text: 'Rain.', emotion: 'calm' };
    expect(await issuesOf(options, valid)).toEqual([]);
    expect(await issuesOf(options, { ...valid, kind: 'judge.verdict' })).toHaveLength(1);
    expect(await issuesOf(options, { kind: 'world.observed', emotion: 'calm' })).toHaveLength(1);
    expect(await issuesOf(options, { kind: 'world.observed', text: 'Rain.' })).toHaveLength(1);
  });

  it('the typed fields are optional with defaults: winner null, scores {}', async () => {
    const schema = eventSchema({
      allowedKinds: ['judge.verdict'],
      extraFields: ['mood', 'winner', 'scores'],
    });
    const value = { kind: 'judge.verdict', text: 'Nobody.', mood: 'grave' };
    expect(await schema['~standard'].validate(value)).toEqual({
      value: { ...value, winner: null, scores: {} },
    });
  });

  it('a small model knows it may answer null', async () => {
    const provider = wordsProvider(['{"kind":"judge.verdict","text":"Nobody.","winner":null,"scores":{}}']);
    const act = await manifestAgent({ manifest: JUDGE, provider, scenario: CONTEST }).act(turnOf());
    expect(provider.asked[0]?.prompt).toContain('"winner": "<a player\'s name, or null>"');
    expect(provider.asked[0]?.prompt).toContain('0 to 10');
    expect(payloadOf(act)['winner']).toBeNull();
  });

  it('a name outside the cast — one re-ask, then `no_contest`', async () => {
    const zed = { kind: 'judge.verdict', text: 'Zed.', winner: 'Zed', scores: {} };
    const { act, turns, turn } = await played(answering(zed), JUDGE, { scenario: CONTEST });
    expect(payloadOf(act)).toMatchObject({
      text: 'Zed.',
      winner: null,
      no_contest: { reason: 'unknown-winner', rejected: ['Zed', 'Zed'] },
    });
    expect(turns).toHaveLength(2);
    expect(turn.charged).toHaveLength(2);
  });

  it('re-prompts on validation failure (bounded by `max_retries`)', async () => {
    const { turns, turn } = await played(() => reply.text('No.'), manifestOf(), { maxRetries: 1 });
    expect(turn.charged.map(({ code }) => code)).toEqual(['invalid-json', 'not-produced', 'ok']);
    expect(turns).toHaveLength(3);
  });

  it('If a live structured call raises, the agent degrades to the parser path so the turn still produces an event', async () => {
    const { act, turn, turns } = await played(
      [
        ...Array.from({ length: 3 }, () => reply.error(503, { retryAfterSeconds: 0 })),
        reply.text('Here: {"kind":"agent.spoke","text":"Fog."}'),
      ],
      manifestOf(),
    );
    expect(act).toMatchObject({
      kind: 'agent.spoke',
      payload: { text: 'Fog.' },
      provenance: { path: 'validated', rung: 'prompted', tier: 'embedded', attempts: 0 },
    });
    expect(turn.charged.map(({ code }) => code)).toEqual(['http', 'http', 'http', 'ok']);
    expect(turns.at(-1)?.userText).toContain('OUTPUT FORMAT');
  });

  it('a reply is read before another one is paid for', async () => {
    const { act, turns } = await played(
      () => reply.text('Certainly! {"kind":"agent.spoke","text":"Fog."}'),
      manifestOf(),
      { maxRetries: 1 },
    );
    expect(act).toMatchObject({
      payload: { text: 'Fog.' },
      provenance: { path: 'validated', rung: 'received', tier: 'embedded', attempts: 1 },
    });
    expect(payloadOf(act)).not.toHaveProperty('_raw_fallback');
    expect(turns).toHaveLength(1);
  });
});

describe('Two paths enforce the same contract', () => {
  it('Both feed the same `Event` construction, so the conductor, ledger, and projections are identical either way', async () => {
    const manifest = manifestOf({ outputExtraFields: ['mood', 'wants'] });
    const answer = { wants: 'oil', text: 'Fog.', mood: 'calm', kind: 'agent.spoke' };
    const live = await played(answering(answer), manifest);
    const provider = wordsProvider([JSON.stringify(answer)]);
    const offline = await manifestAgent({ manifest, provider }).act(turnOf());
    const shape = (act: AgentAct) => JSON.stringify({ ...act, provenance: undefined, model: undefined });
    expect(shape(live.act)).toBe(shape(offline));
  });

  it('Offline path: the deterministic stub keeps demos and tests fully offline', async () => {
    const act = () =>
      manifestAgent({ manifest: JUDGE, provider: stubProvider({ seed: 'a' }), scenario: CONTEST }).act(
        turnOf(),
      );
    const first = await act();
    expect(first).toMatchObject({
      type: 'event',
      model: 'stub',
      provenance: { rung: 'prompted', tier: 'strict' },
    });
    expect(await act()).toEqual(first);
    expect(['ada-lovelace', 'bob']).toContain(payloadOf(first)['winner']);
  });

  it('picks the path by capability: a provider without `completeStructured` is prompted', async () => {
    expect(stubProvider()).not.toHaveProperty('completeStructured');
    await using server = await scriptedModelServer({ script: [] });
    expect(aiSdkProvider(compatible(server))).toHaveProperty('completeStructured');
  });
});
