import { describe, expect, it } from 'vitest';
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentTurn } from '../../scenario/ensemble-agent.ts';
import { manifestAgent } from '../manifest-agent.ts';
import type { Provider } from '../../providers/provider.ts';
import { bothProvider, CONTEST, JUDGE, manifestOf, turnOf, wordsProvider } from '../test-turns.ts';

const FOG = '{"kind":"agent.spoke","text":"Fog."}';

/** The error that `generate()` throws after its last attempt. */
function gaveUp(receivedText?: string): StructuredOutputError {
  const attempt = { code: 'invalid-json', message: 'No JSON.' };
  return new StructuredOutputError('No answer. Ask again.', {
    code: 'invalid-json',
    attempts: [attempt, attempt, attempt],
    ...(receivedText !== undefined && { receivedText }),
  });
}

function act(provider: Provider, turn: AgentTurn = turnOf()) {
  return manifestAgent({ manifest: manifestOf(), provider }).act(turn);
}

describe('the ladder', () => {
  it('ends on its first rung with a validated answer', async () => {
    const provider = bothProvider([{ kind: 'agent.spoke', text: 'Fog.' }]);
    expect(await act(provider)).toEqual({
      type: 'event',
      kind: 'agent.spoke',
      payload: { text: 'Fog.' },
      provenance: { path: 'validated', rung: 'validated', attempts: 1 },
      model: 'both-1',
    });
    expect(provider.asked).toHaveLength(0);
  });

  it('reads the text that a failed validated call received, and makes no further call', async () => {
    const provider = bothProvider([gaveUp(`Sure: ${FOG}`)]);
    expect(await act(provider)).toMatchObject({
      payload: { text: 'Fog.' },
      provenance: { path: 'validated', rung: 'received', attempts: 3, tier: 'embedded' },
    });
    expect(provider.asked).toHaveLength(0);
  });

  it.each(['too-large', 'redirect'] as const)(
    'makes no second call after a reply that was %s',
    async (code) => {
      const failure = new ModelError('The service cannot be used.', { code });
      const provider = bothProvider([failure], [FOG]);
      await expect(act(provider)).rejects.toBe(failure);
      expect(provider.asked).toHaveLength(0);
    },
  );

  it('makes one prompted call if that text contains no event', async () => {
    const provider = bothProvider([gaveUp('Well.')], [FOG]);
    expect(await act(provider)).toMatchObject({
      payload: { text: 'Fog.' },
      provenance: { path: 'validated', rung: 'prompted', attempts: 3, tier: 'strict' },
    });
    expect(provider.asked).toHaveLength(1);
    expect(provider.asked[0]?.prompt).toContain('OUTPUT FORMAT');
  });

  it('uses the last text unchanged if the prompted call returns no event either', async () => {
    const provider = bothProvider([gaveUp('Well.')], ['The fog is thick tonight.']);
    expect(await act(provider)).toMatchObject({
      payload: { text: 'The fog is thick tonight.', _raw_fallback: true },
      provenance: { path: 'prompted', rung: 'raw', attempts: 3, tier: 'raw' },
    });
  });

  it.each(['', '{"mood":"calm"}', new RangeError('down')])(
    'uses the text of the validated call if the prompted one returns %j',
    async (second) => {
      const provider = bothProvider([gaveUp('The fog is thick.')], [second]);
      expect(await act(provider)).toMatchObject({
        payload: { text: 'The fog is thick.', _raw_fallback: true },
        provenance: { path: 'prompted', rung: 'raw' },
      });
    },
  );

  it('skips a judge that describes instead of ruling', async () => {
    const provider = bothProvider([gaveUp('Both were fine.')], ['Ada spoke well, and so did Bob.']);
    const judge = manifestAgent({ manifest: JUDGE, provider, scenario: CONTEST });
    expect(await judge.act(turnOf())).toMatchObject({
      type: 'skipped',
      reason: 'The model wrote prose, which is no verdict.',
      provenance: { rung: 'raw' },
    });
  });

  it('reads the text that a failed prompted call received', async () => {
    const broken = new ModelError('Broke off.', { code: 'stream', receivedText: FOG });
    expect(await act(wordsProvider([broken]))).toMatchObject({ payload: { text: 'Fog.' } });
  });

  it.each(['', '   ', '{"mood":"calm"}', '<think>Only thoughts.</think>'])(
    'skips the turn if no usable answer was received: %j',
    async (text) => {
      expect(await act(wordsProvider([text]))).toMatchObject({
        type: 'skipped',
        reason: expect.stringContaining('no usable answer'),
        provenance: { path: 'prompted', rung: 'raw', tier: 'raw', attempts: 0 },
        model: 'words-1',
      });
    },
  );

  it('fails with the provider’s error if no rung has text', async () => {
    const down = new RangeError('down');
    await expect(act(bothProvider([gaveUp()], [down]))).rejects.toBe(down);
  });

  it('validates the answer of a provider, even if the provider reports it as validated', async () => {
    const provider = bothProvider([{ kind: 'run.finished', text: 'The end.', _raw_fallback: true }]);
    expect(await act(provider)).toMatchObject({
      kind: 'agent.spoke',
      payload: { text: 'The end.' },
      provenance: { rung: 'received', requestedKind: 'run.finished' },
    });
  });

  it('drops undeclared fields of a validated answer', async () => {
    const provider = bothProvider([{ kind: 'agent.spoke', text: 'Fog.', _raw_fallback: true, secret: 1 }]);
    expect(await act(provider)).toMatchObject({ payload: { text: 'Fog.' } });
    expect(await act(bothProvider([{ kind: 'agent.spoke', text: 'Fog.', secret: 1 }]))).not.toHaveProperty(
      'payload.secret',
    );
  });
});

describe('a charge', () => {
  const spent = new BudgetExceededError('Spent. Raise it.', { code: 'tokens' });
  const refusing = { charge: () => Promise.reject(spent) };

  it.each([
    ['prompted', wordsProvider([FOG])],
    ['validated', bothProvider([{ kind: 'agent.spoke', text: 'Fog.' }], [FOG])],
  ])('that is refused ends the turn on the %s path, and no rung follows', async (_path, provider) => {
    await expect(act(provider, turnOf(refusing))).rejects.toBe(spent);
    const { asked, structured = [] } = { structured: undefined, ...provider };
    expect(asked.length + structured.length).toBe(1);
  });

  it('that a provider swallows is still thrown', async () => {
    const provider: Provider = {
      model: 'deaf',
      complete: async ({ onCall }) => {
        await onCall({ model: 'deaf', usage: NO_USAGE, durationMs: 1, code: 'ok' }).catch(() => undefined);
        return { text: FOG, usage: NO_USAGE };
      },
    };
    await expect(act(provider, turnOf(refusing))).rejects.toBe(spent);
  });

  it('is made for every call of every rung, failed ones too', async () => {
    const turn = turnOf();
    await act(bothProvider([gaveUp()], [FOG]), turn);
    expect(turn.charged.map(({ model, code }) => [model, code])).toEqual([
      ['words', 'failed'],
      ['words-1', 'ok'],
    ]);
  });

  it('uses the usage of the result if a provider reports no calls', async () => {
    const usage = { ...NO_USAGE, inputTokens: 5, costUsd: 0.004 };
    const turn = turnOf();
    await act({ model: 'mute', complete: async () => ({ text: FOG, usage }) }, turn);
    expect(turn.charged).toMatchObject([{ model: 'mute', usage, code: 'ok' }]);
    const silent = { ...turnOf(refusing), charged: [] };
    await expect(act({ model: 'mute', complete: async () => ({ text: FOG, usage }) }, silent)).rejects.toBe(
      spent,
    );
  });

  it('is not made for a call that was refused before it was sent', async () => {
    const wrong = new UsageError('No key. Set one.');
    const turn = turnOf();
    await expect(act(wordsProvider([wrong]), turn)).rejects.toBe(wrong);
    expect(turn.charged).toEqual([]);
  });
});

it('ends with the signal’s reason, and makes no further call', async () => {
  const controller = new AbortController();
  const reason = new RangeError('enough');
  const provider = bothProvider([], [FOG]);
  const stopped: Provider = {
    ...provider,
    completeStructured: () => {
      controller.abort(reason);
      return Promise.reject(gaveUp(FOG));
    },
  };
  await expect(act(stopped, turnOf({ signal: controller.signal }))).rejects.toBe(reason);
  await expect(act(provider, turnOf({ signal: controller.signal }))).rejects.toBe(reason);
  expect(provider.asked).toHaveLength(0);
});
