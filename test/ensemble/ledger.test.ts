/** Tests of the ledger: its gate, its readers, and that stored events never change. */
import { describe, expect, it } from 'vitest';
import type { LedgerOptions } from '../../packages/ensemble/src/ledger/grant-table.ts';
import type { EventDraft, Ledger } from '../../packages/ensemble/src/ledger/ledger.ts';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import { memoryLedger } from '../../packages/ensemble/src/ledger/memory-ledger.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { storeLedger } from '../../packages/ensemble/src/ledger/store-ledger.ts';

const CAST = [
  { name: 'bo', mayEmit: ['agent.spoke', 'clue.found', 'judge.verdict'] },
  { name: 'cy', mayEmit: ['agent.spoke'] },
];

function draft(change: Partial<EventDraft> = {}): EventDraft {
  return { runId: 'run-1', turn: 1, kind: 'agent.spoke', payload: { text: 'Hello.' }, ...change };
}

async function kinds(ledger: Ledger, runId = 'run-1'): Promise<string[]> {
  const found: string[] = [];
  for await (const event of ledger.read(runId)) found.push(event.kind);
  return found;
}

type Open = (options?: LedgerOptions) => Promise<Ledger>;

/** Opens a ledger, tries to append, and returns the refusal's code and the ledger's events. */
async function refused(open: Open, actor: string, change: Partial<EventDraft>): Promise<unknown> {
  const ledger = await open();
  const code = await Promise.resolve()
    .then(async () => await ledger.as(actor).append(draft(change)))
    .then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    );
  return [code, await kinds(ledger)];
}

describe('the gate of a ledger', () => {
  const open: Open = async (options) => memoryLedger({ cast: CAST, ...options });

  it.each([
    ['a kind of another', 'cy', { kind: 'clue.found' }, 'not-granted'],
    ['a kind of the engine', 'bo', { kind: 'run.finished' }, 'not-granted'],
    ['a kind that the conductor has no grant for', 'conductor', {}, 'not-granted'],
    ["a member's kind from a visitor", 'visitor', {}, 'not-granted'],
    ['an actor without a grant', 'zed', {}, 'unknown-actor'],
    ['an actor of the prototype', 'toString', {}, 'unknown-actor'],
    ['a kind with a newline', 'bo', { kind: 'agent.spoke\n' }, 'invalid-event'],
    ['a kind of one word', 'bo', { kind: 'agent' }, 'invalid-event'],
    ['a kind in capitals', 'bo', { kind: 'Agent.spoke' }, 'invalid-event'],
    ['an empty run', 'bo', { runId: '' }, 'invalid-event'],
    ['a turn that is none', 'bo', { turn: -1 }, 'invalid-event'],
    ['no text where views read one', 'bo', { payload: {} }, 'invalid-event'],
    ['a blank text', 'bo', { payload: { text: ' \n' } }, 'invalid-event'],
    ['a text that is no text', 'bo', { payload: { text: 7 } }, 'invalid-event'],
    [
      'an inherited text',
      'bo',
      { payload: Object.create({ text: 'x' }) as EventDraft['payload'] },
      'invalid-event',
    ],
    [
      'a payload that fails when it is read',
      'bo',
      {
        payload: {
          text: 'x',
          get trap(): never {
            throw new RangeError('trap');
          },
        },
      },
      'invalid-event',
    ],
    ['a field that an event does not have', 'bo', { turns: 3 } as Partial<EventDraft>, 'invalid-event'],
    ['a payload that is a list', 'bo', { payload: [] as never }, 'invalid-event'],
    ['a forged field', 'bo', { payload: { text: 'x', _compliance: 'perfect' } }, 'invalid-event'],
    ['a forged mark', 'bo', { payload: { text: 'x', _raw_fallback: 'no' } }, 'invalid-event'],
    [
      'a key that reaches a constructor',
      'bo',
      { payload: { text: 'x', inner: { constructor: 1 } } },
      'invalid-event',
    ],
    ['a number that JSON has not', 'bo', { payload: { text: 'x', n: Number.NaN } }, 'invalid-event'],
    [
      'a key that reaches a prototype',
      'bo',
      { payload: JSON.parse('{"text":"x","__proto__":{}}') as never },
      'invalid-event',
    ],
    [
      'scores that are none',
      'bo',
      { kind: 'judge.verdict', payload: { text: 'x', scores: { bo: 'ten' } } },
      'invalid-event',
    ],
    [
      'a winner that is no name',
      'bo',
      { kind: 'judge.verdict', payload: { text: 'x', winner: 3 } },
      'invalid-event',
    ],
  ])('refuses %s, and appends nothing', async (_what, actor, change, code) => {
    expect(await refused(open, actor, change)).toEqual([code, []]);
  });

  it('refuses a payload deeper than 32 levels, and one with a cycle', async () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 40; level += 1) deep = { deep };
    const round: Record<string, unknown> = { text: 'x' };
    round['round'] = round;
    expect(await refused(open, 'bo', { payload: { text: 'x', deep } })).toEqual(['invalid-event', []]);
    expect(await refused(open, 'bo', { payload: round })).toEqual(['invalid-event', []]);
  });

  it('refuses a payload of more than a million characters, keys included', async () => {
    const long = 'x'.repeat(500_001);
    expect(await refused(open, 'bo', { payload: { text: long } })).toEqual(['accepted', ['agent.spoke']]);
    expect(await refused(open, 'bo', { payload: { text: long, more: [long] } })).toEqual([
      'invalid-event',
      [],
    ]);
    expect(await refused(open, 'bo', { payload: { text: long, [long]: 1 } })).toEqual(['invalid-event', []]);
  });

  it('enforces the exact shapes of the engine kinds', async () => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    const called = { agent: 'bo', call: 1, model: 'm', code: 'ok', usage, duration_ms: 3.5 };
    const append = async (payload: EventDraft['payload']): Promise<unknown> =>
      await refused(open, 'conductor', { kind: 'model.called', payload });
    expect(await append(called)).toEqual(['accepted', ['model.called']]);
    expect(await append({ ...called, note: 'x' })).toEqual(['invalid-event', []]);
    expect(await append({ ...called, usage: { ...usage, outputTokens: -1 } })).toEqual(['invalid-event', []]);
    expect(await append({ ...called, agent: undefined })).toEqual(['invalid-event', []]);
  });

  it('accepts any payload for other kinds', async () => {
    expect(
      await refused(open, 'bo', { kind: 'clue.found', payload: { where: ['pier', { row: 3 }] } }),
    ).toEqual(['accepted', ['clue.found']]);
  });

  it.each([
    ['the name of the conductor', { name: 'conductor', mayEmit: [] }],
    ['the name of a visitor', { name: 'visitor', mayEmit: [] }],
    ['a kind of the engine', { name: 'bo', mayEmit: ['run.finished'] }],
    ["a visitor's kind", { name: 'bo', mayEmit: ['user.injected'] }],
    ['what is no kind', { name: 'bo', mayEmit: ['agent.spoke\n'] }],
  ])('is not opened for a cast with %s', async (_what, member) => {
    await expect(open({ cast: [member] })).rejects.toMatchObject({ code: 'invalid-option' });
  });
});

describe('a ledger in memory', () => {
  declareLedger(async (options) => memoryLedger({ cast: CAST, ...options }));
});

describeOnBothStores('a ledger', (fixture) => {
  declareLedger(async (options) => storeLedger(await fixture.open(), { cast: CAST, ...options }));
});

/** Behaviour of every ledger, whatever its storage. Each test opens an empty one. */
function declareLedger(open: Open): void {
  describe('append', () => {
    it('lets an actor append granted kinds, in its own name', async () => {
      const ledger = await open({ clock: () => 0 });
      const event = await ledger.as('bo').append(draft({ id: 'e-1', causedBy: 'e-0', model: 'm' }));
      expect(event).toEqual({
        id: 'e-1',
        runId: 'run-1',
        offset: 1,
        turn: 1,
        kind: 'agent.spoke',
        actor: 'bo',
        payload: { text: 'Hello.' },
        createdAt: '1970-01-01T00:00:00.000Z',
        schemaVersion: 1,
        causedBy: 'e-0',
        model: 'm',
      });
    });

    it('returns the first event for the same id and content, in any key order', async () => {
      const ledger = await open();
      const first = await ledger.as('bo').append(draft({ id: 'e', payload: { text: 'x', a: 1, b: 2 } }));
      const again = await ledger
        .as('bo')
        .append(draft({ id: 'e', payload: { b: 2, text: 'x', a: 1, c: undefined } }));
      expect(again).toEqual(first);
      expect(await kinds(ledger)).toHaveLength(1);
    });

    it.each([
      { payload: { text: 'other' } },
      { turn: 2 },
      { kind: 'clue.found' },
      { runId: 'run-2' },
      { causedBy: 'x' },
    ])('refuses the same id with %j', async (change) => {
      const ledger = await open();
      await ledger.as('bo').append(draft({ id: 'e' }));
      await expect(ledger.as('bo').append(draft({ id: 'e', ...change }))).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(ledger.as('cy').append(draft({ id: 'e' }))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('freezes returned events, and copies its input', async () => {
      const ledger = await open();
      const inner = { word: 'before' };
      const event = await ledger.as('bo').append(draft({ payload: { text: 'x', inner, list: [inner] } }));
      inner.word = 'after';
      expect(event.payload['inner']).toEqual({ word: 'before' });
      for (const part of [event, event.payload, event.payload['inner'], event.payload['list']]) {
        expect(Object.isFrozen(part)).toBe(true);
      }
      for await (const read of ledger.read('run-1')) {
        expect(Object.isFrozen(read.payload['inner'])).toBe(true);
      }
    });

    it('keeps every JSON string', async () => {
      const text = `a\0b\uD800c\u2028"\\ 😀`;
      const ledger = await open();
      await ledger.as('bo').append(draft({ payload: { text, [`k${text}`]: text } }));
      for await (const { payload } of ledger.read('run-1')) {
        expect(payload).toEqual({ text, [`k${text}`]: text });
      }
    });
  });

  describe('tail', () => {
    const say = async (ledger: Ledger, count: number, runId = 'run-1'): Promise<void> => {
      for (let index = 0; index < count; index += 1) await ledger.as('bo').append(draft({ runId }));
    };

    it('returns existing and new events, once and in order, to every follower', async () => {
      const ledger = await open();
      await say(ledger, 70);
      const follow = async (fromOffset: number, count: number): Promise<number[]> => {
        const offsets: number[] = [];
        for await (const { offset } of ledger.tail(fromOffset)) {
          offsets.push(offset);
          if (offsets.length === count) break;
        }
        return offsets;
      };
      const followers = [follow(0, 140), follow(65, 75), follow(139, 1)];
      await Promise.all([say(ledger, 35), say(ledger, 35)]);
      const [all, late, last] = await Promise.all(followers);
      expect(all).toEqual(Array.from({ length: 140 }, (_unused, index) => index + 1));
      expect(late).toEqual(all?.slice(65));
      expect(last).toEqual([140]);
    });

    it('reads on over many pages while nothing is appended', { timeout: 240_000 }, async () => {
      const ledger = await open();
      await say(ledger, 1_010);
      let seen = 0;
      for await (const _event of ledger.tail(0)) {
        seen += 1;
        if (seen === 1_010) break;
      }
      expect(seen).toBe(1_010);
    });

    it('follows one run, and ends with it', async () => {
      const ledger = await open();
      const seen: LedgerEvent[] = [];
      const following = (async () => {
        for await (const event of ledger.tail(0, { runId: 'run-2' })) seen.push(event);
      })();
      await say(ledger, 2);
      await say(ledger, 2, 'run-2');
      const payload = {
        reason: 'turns',
        winner: null,
        winner_kind: null,
        winners: [],
        winning_models: [],
        turns: 0,
        tokens: 0,
      };
      await ledger.as('conductor').append(draft({ runId: 'run-2', kind: 'run.finished', payload }));
      await following;
      expect(seen.map(({ runId, kind }) => `${runId} ${kind}`)).toEqual([
        'run-2 agent.spoke',
        'run-2 agent.spoke',
        'run-2 run.finished',
      ]);
    });

    it('ends quietly when its signal aborts, before, between and while it waits', async () => {
      const ledger = await open();
      await say(ledger, 3);
      const waiting = new AbortController();
      let seen = 0;
      for await (const _event of ledger.tail(0, { signal: waiting.signal })) {
        seen += 1;
        if (seen === 3) setTimeout(() => waiting.abort(), 10);
      }
      for await (const _event of ledger.tail(0, { signal: waiting.signal })) seen += 1;
      const between = new AbortController();
      for await (const _event of ledger.tail(0, { signal: between.signal })) {
        seen += 1;
        between.abort();
      }
      expect(seen).toBe(4);
    });
  });

  describe('runs', () => {
    it('are listed in the order of their start, with how they ended', async () => {
      const ledger = await open({ clock: () => 0 });
      const cast = { bo: { model: 'm', role: 'worker' } };
      const started = { seed: 's', goal: 'g', scenario: 'harbour', cast };
      const finished = {
        reason: 'verdict',
        winner: 'bo',
        winner_kind: 'agent',
        winners: ['bo'],
        winning_models: ['m'],
        turns: 3,
        tokens: 9,
      };
      for (const runId of ['b', 'a']) {
        await ledger.as('conductor').append(draft({ runId, turn: 0, kind: 'run.started', payload: started }));
      }
      await ledger.as('conductor').append(draft({ runId: 'a', kind: 'run.finished', payload: finished }));
      const common = {
        scenario: 'harbour',
        seed: 's',
        competition: 'none',
        cast: [{ name: 'bo', role: 'worker', model: 'm' }],
        startedAt: '1970-01-01T00:00:00.000Z',
      };
      const end = {
        finishedAt: common.startedAt,
        reason: 'verdict',
        winner: 'bo',
        winnerKind: 'agent',
        winners: ['bo'],
        winningModels: ['m'],
        turns: 3,
        tokens: 9,
      };
      expect(await ledger.runs()).toEqual([
        { runId: 'b', ...common },
        { runId: 'a', ...common, end },
      ]);
    });
  });
}
