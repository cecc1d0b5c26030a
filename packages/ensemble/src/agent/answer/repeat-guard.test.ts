import { describe, expect, it } from 'vitest';
import { manifestAgent } from '../manifest-agent.ts';
import { bothProvider, CONTEST, eventOf, JUDGE, manifestOf, turnOf, wordsProvider } from '../test-turns.ts';

const SAID = 'The tide is late again.';
const visible = [eventOf({ text: SAID, turn: 2 }), eventOf({ text: 'Yes.' })];
const saying = (text: string): string => JSON.stringify({ kind: 'agent.spoke', text });

describe('a repeated line', () => {
  it('is asked for again once, with a note', async () => {
    const provider = wordsProvider([saying('“The tide is LATE, again!”'), saying('Fog.')]);
    const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf({ visible }));
    expect(act).toMatchObject({ payload: { text: 'Fog.' }, provenance: { repeatReAsked: true } });
    expect(provider.asked.map(({ prompt }) => prompt.includes('REPETITION'))).toEqual([false, true]);
  });

  it('skips the turn the second time, and says whose line it was', async () => {
    const provider = bothProvider([
      { kind: 'agent.spoke', text: SAID },
      { kind: 'agent.spoke', text: SAID },
    ]);
    const turn = turnOf({ visible });
    const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turn);
    expect(act).toMatchObject({
      type: 'skipped',
      reason: 'The model repeated the line of ada in turn 2, twice.',
      provenance: { path: 'validated', repeatReAsked: true },
    });
    expect(turn.charged).toHaveLength(2);
  });

  it.each([
    ['of few words', manifestOf(), saying('Yes.'), {}],
    ['with the guard off', manifestOf({ repeatGuard: false }), saying(SAID), {}],
    ['of a judge', JUDGE, JSON.stringify({ kind: 'judge.verdict', text: SAID }), { scenario: CONTEST }],
  ])('is kept: %s', async (_case, manifest, answer, options) => {
    const provider = wordsProvider([answer]);
    const act = await manifestAgent({ manifest, provider, ...options }).act(turnOf({ visible }));
    expect(act).toMatchObject({ type: 'event', payload: { text: JSON.parse(answer).text } });
    expect(provider.asked).toHaveLength(1);
  });
});
