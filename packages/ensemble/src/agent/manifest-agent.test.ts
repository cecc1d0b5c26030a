import { describe, expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { manifestAgent } from './manifest-agent.ts';
import type { AgentHandler } from './manifest-agent-options.ts';
import { stubProvider } from '../providers/stub-provider.ts';
import { bothProvider, CONTEST, eventOf, JUDGE, manifestOf, turnOf, wordsProvider } from './test-turns.ts';

const FOG = '{"kind":"agent.spoke","text":"Fog."}';
const BELIEF = '{"kind":"agent.reflected","text":"The ship lies."}';

function remembering(reflectionThreshold: number) {
  return { window: 8, useSalience: false, salienceTopK: 8, reflectionThreshold };
}

describe('an agent', () => {
  it('uses a granted kind, the first if the model names none', async () => {
    const manifest = manifestOf({ mayEmit: ['agent.spoke', 'agent.thought'] });
    const agent = manifestAgent({ manifest, provider: wordsProvider(['{"text":"Fog."}']) });
    expect(agent.name).toBe('keeper');
    expect(await agent.act(turnOf())).toMatchObject({ kind: 'agent.spoke', payload: { text: 'Fog.' } });
  });

  it('is offered its kinds without the kind of reflections', async () => {
    const provider = wordsProvider([FOG]);
    const manifest = manifestOf({ mayEmit: ['agent.reflected', 'agent.spoke'] });
    await manifestAgent({ manifest, provider }).act(turnOf());
    expect(provider.asked[0]?.contract.allowedKinds).toEqual(['agent.spoke']);
  });

  it('shares no state between concurrent turns', async () => {
    const provider = wordsProvider([
      '{"kind":"agent.spoke","text":"One."}',
      '{"kind":"agent.spoke","text":"Two."}',
    ]);
    const agent = manifestAgent({ manifest: manifestOf(), provider });
    const turns = [turnOf(), turnOf()];
    const acts = await Promise.all(turns.map((turn) => agent.act(turn)));
    expect(acts.map((act) => act.type === 'event' && act.payload['text'])).toEqual(['One.', 'Two.']);
    expect(turns.map(({ charged }) => charged.length)).toEqual([1, 1]);
  });
});

describe('a reflection', () => {
  it.each([3, 4, 7])(
    'takes the turn at %i unreflected events with a threshold of three',
    async (unreflected) => {
      const provider = wordsProvider([BELIEF]);
      const agent = manifestAgent({ manifest: manifestOf({ memory: remembering(3) }), provider });
      expect(await agent.act(turnOf({ unreflected }))).toMatchObject({
        kind: 'agent.reflected',
        payload: { text: 'The ship lies.' },
      });
      expect(provider.asked).toHaveLength(1);
      expect(provider.asked[0]?.contract).toEqual({ allowedKinds: ['agent.reflected'], extraFields: [] });
    },
  );

  it('waits below the threshold, and without one', async () => {
    const below = manifestAgent({
      manifest: manifestOf({ memory: remembering(3) }),
      provider: wordsProvider([FOG]),
    });
    expect(await below.act(turnOf({ unreflected: 2 }))).toMatchObject({ kind: 'agent.spoke' });
    const never = manifestAgent({ manifest: manifestOf(), provider: wordsProvider([FOG]) });
    expect(await never.act(turnOf({ unreflected: 99 }))).toMatchObject({ kind: 'agent.spoke' });
  });

  it('without a result lets the agent speak in the turn', async () => {
    const provider = wordsProvider(['', FOG]);
    const agent = manifestAgent({ manifest: manifestOf({ memory: remembering(3) }), provider });
    expect(await agent.act(turnOf({ unreflected: 3 }))).toMatchObject({ kind: 'agent.spoke' });
  });

  it('uses the same two paths', async () => {
    const provider = bothProvider([{ kind: 'agent.reflected', text: 'The ship lies.' }]);
    const agent = manifestAgent({ manifest: manifestOf({ memory: remembering(3) }), provider });
    expect(await agent.act(turnOf({ unreflected: 3 }))).toMatchObject({ provenance: { rung: 'validated' } });
  });

  it('does not take a judge’s last word', async () => {
    const provider = wordsProvider(['{"kind":"judge.verdict","text":"Bob.","winner":"bob","scores":{}}']);
    const agent = manifestAgent({
      manifest: { ...JUDGE, memory: remembering(3) },
      provider,
      scenario: CONTEST,
    });
    expect(await agent.act(turnOf({ unreflected: 9, isLast: true }))).toMatchObject({
      kind: 'judge.verdict',
    });
  });

  it('is the only act of an agent without other grants, which abstains until one is due', async () => {
    const manifest = manifestOf({ role: 'reflector', mayEmit: ['agent.reflected'] });
    const eager = manifestAgent({ manifest, provider: wordsProvider([BELIEF]) });
    expect(await eager.act(turnOf())).toMatchObject({ kind: 'agent.reflected' });
    const patient = manifestAgent({
      manifest: { ...manifest, memory: remembering(3) },
      provider: wordsProvider([]),
    });
    expect(await patient.act(turnOf({ unreflected: 1 }))).toEqual({ type: 'abstained' });
  });
});

describe('a requested thought that is empty', () => {
  const manifest = manifestOf({ outputExtraFields: ['thought'] });
  const empty = '{"kind":"agent.spoke","text":"Fog.","thought":""}';

  it.each([
    ['between marks', { text: `<think>She lies.</think>${empty}` }],
    ['apart', { text: empty, reasoning: 'She lies.' }],
    ['apart, the field missing', { text: FOG, reasoning: 'She lies.' }],
  ])('is the reasoning of the model %s', async (_name, said) => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    const provider = { model: 'm', complete: async () => ({ ...said, usage }) };
    const act = await manifestAgent({ manifest, provider }).act(turnOf());
    expect(act).toMatchObject({ payload: { text: 'Fog.', thought: 'She lies.' } });
    const other = await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf());
    expect(other).not.toHaveProperty('payload.thought');
  });

  it('stays unchanged if the model returned one', async () => {
    const text = '<think>She lies.</think>{"kind":"agent.spoke","text":"Fog.","thought":"Mine."}';
    const act = await manifestAgent({ manifest, provider: wordsProvider([text]) }).act(turnOf());
    expect(act).toMatchObject({ payload: { thought: 'Mine.' } });
  });

  it('is cut to 600 characters', async () => {
    const text = `<think>${'x'.repeat(5_000)}</think>${empty}`;
    const act = await manifestAgent({ manifest, provider: wordsProvider([text]) }).act(turnOf());
    expect(act.type === 'event' && String(act.payload['thought']).length).toBe(600);
  });
});

describe('a handler', () => {
  const shy: AgentHandler = (base, { manifest }) => ({
    name: base.name,
    act: async (turn) =>
      turn.visible.length === 0 ? { type: 'abstained' } : { ...(await base.act(turn)), model: manifest.name },
  });

  it('wraps the agent that names it', async () => {
    const manifest = manifestOf({ handler: 'shy' });
    const agent = manifestAgent({ manifest, provider: wordsProvider([FOG]), handlers: { shy } });
    expect(await agent.act(turnOf())).toEqual({ type: 'abstained' });
    expect(await agent.act(turnOf({ visible: [eventOf()] }))).toMatchObject({
      kind: 'agent.spoke',
      model: 'keeper',
    });
  });

  it.each(['bold', 'toString', '__proto__'])(
    'that is unknown (%s) is refused when the agent is created',
    (handler) => {
      const make = () =>
        manifestAgent({ manifest: manifestOf({ handler }), provider: stubProvider(), handlers: { shy } });
      expect(make).toThrow(UsageError);
      expect(make).toThrow(/one of: shy/u);
    },
  );
});

describe('options that cannot work are refused when the agent is created', () => {
  it.each([
    ['an empty grant', { manifest: manifestOf({ mayEmit: [] }) }, /at least one kind/u],
    [
      'a field that would open the grant',
      { manifest: manifestOf({ outputExtraFields: ['kind'] }) },
      /reserved/u,
    ],
    ['a provider that answers nothing', { provider: {} as never }, /aiSdkProvider/u],
    ['no room for a prompt', { maxPromptTokens: 0 }, /maxPromptTokens/u],
    ['a persona that fills it', { manifest: manifestOf({ persona: 'x'.repeat(9_001) }) }, /Shorten/u],
  ])('%s', (_name, wrong, message) => {
    const make = () => manifestAgent({ manifest: manifestOf(), provider: stubProvider(), ...wrong });
    expect(make).toThrow(UsageError);
    expect(make).toThrow(message);
  });
});

describe('the stub', () => {
  it('is deterministic, and differs by seed', async () => {
    const manifest = manifestOf({ mayEmit: ['agent.spoke', 'world.observed'], outputExtraFields: ['mood'] });
    const play = async (seed: string) =>
      manifestAgent({ manifest, provider: stubProvider({ seed }) }).act(turnOf());
    expect(await play('a')).toEqual(await play('a'));
    const seeds = await Promise.all(['a', 'b', 'c', 'd'].map(play));
    expect(new Set(seeds.map((act) => JSON.stringify(act))).size).toBeGreaterThan(1);
  });

  it('reports one call, with tokens and no time', async () => {
    const turn = turnOf();
    await manifestAgent({ manifest: manifestOf(), provider: stubProvider() }).act(turn);
    expect(turn.charged).toMatchObject([{ model: 'stub', durationMs: 0, code: 'ok' }]);
    expect(turn.charged[0]?.usage?.inputTokens).toBeGreaterThan(50);
  });
});
