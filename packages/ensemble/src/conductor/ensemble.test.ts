/** Engine: order of steps, a single end, and progress despite failing members. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EventDraft } from '../ledger/ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { EnsembleOptions } from './ensemble.ts';
import { createEnsemble, type Ensemble, resumeEnsemble } from './ensemble.ts';
import { player, charge, eventsOf, linesOf, options, speaks, seat, talker } from './test-ensemble.ts';

/** Plays to the end. Returns the lines between genesis and end, without calls. */
async function played(parts: EnsembleOptions): Promise<string[]> {
  await (await createEnsemble(parts)).run();
  const lines = linesOf(await eventsOf(parts.ledger)).slice(2);
  return lines.filter((line) => !/model\.called|run\./u.test(line));
}

const speaker = (name: string): ReturnType<typeof player> => player(name, () => speaks(`${name} speaks`));

describe('the order of a turn', () => {
  it('calls the scheduled members in the order of the cast', async () => {
    const cast = ['c', 'a', 'b'].map((name) => seat(name));
    const parts = options(
      cast,
      cast.map(({ name }) => talker(name)),
      { limits: { turns: 2 } },
    );
    const ensemble = await createEnsemble(parts);
    const { state, end } = await ensemble.run();
    expect(linesOf(await eventsOf(parts.ledger)).filter((line) => !line.includes('model.called'))).toEqual([
      '0 conductor run.started',
      '0 conductor world.observed',
      '1 c agent.spoke',
      '1 a agent.spoke',
      '1 b agent.spoke',
      '2 c agent.spoke',
      '2 a agent.spoke',
      '2 b agent.spoke',
      '2 conductor run.closing',
      '2 conductor run.finished',
    ]);
    expect({ state, end }).toMatchObject({
      state: 'finished',
      end: { reason: 'turns', turns: 2, winner: null },
    });
  });

  it('calls a member every turn for 0, every N-th for N, and never for null', async () => {
    const cast = [
      seat('often', { tickEvery: 0 }),
      seat('third', { tickEvery: 3 }),
      seat('never', { tickEvery: null }),
    ];
    const agents = cast.map(({ name }) => speaker(name));
    expect(await played(options(cast, agents, { limits: { turns: 6 } }))).toEqual([
      '1 often agent.spoke',
      '2 often agent.spoke',
      '3 often agent.spoke',
      '3 third agent.spoke',
      '4 often agent.spoke',
      '5 often agent.spoke',
      '6 often agent.spoke',
      '6 third agent.spoke',
    ]);
  });

  it('calls woken members first in first out, before scheduled ones, in the same turn', async () => {
    const woken = { tickEvery: null, maxConsecutive: 1 };
    const cast = [
      seat('tick', { mayEmit: ['step.taken'] }),
      seat('late', { ...woken, subscribesTo: ['first.done'], mayEmit: ['late.done'] }),
      seat('first', { ...woken, subscribesTo: ['step.taken'], mayEmit: ['first.done'] }),
      seat('second', { ...woken, subscribesTo: ['step.taken'], mayEmit: ['second.done'] }),
    ];
    const agents = cast.map(({ name, mayEmit }) => player(name, () => speaks(name, mayEmit[0])));
    expect(await played(options(cast, agents, { limits: { turns: 2 } }))).toEqual([
      '1 tick step.taken',
      '2 first first.done',
      '2 second second.done',
      '2 late late.done',
      '2 tick step.taken',
    ]);
  });

  it('lets a member wait once, with the event that woke it first as its cause', async () => {
    const causes: (string | undefined)[] = [];
    const cast = [
      seat('a'),
      seat('b'),
      seat('listener', { tickEvery: null, subscribesTo: ['agent.spoke'], mayEmit: ['agent.thought'] }),
    ];
    const listener = player('listener', (turn) => {
      causes.push(turn.cause?.actor);
      return { type: 'abstained' };
    });
    await played(options(cast, [speaker('a'), speaker('b'), listener], { limits: { turns: 3 } }));
    expect(causes).toEqual(['a', 'a']);
  });

  it('does not wake a member by its own event', async () => {
    const cast = [seat('echo', { tickEvery: 2, subscribesTo: ['agent.spoke'] })];
    expect(await played(options(cast, [speaker('echo')], { limits: { turns: 4 } }))).toEqual([
      '2 echo agent.spoke',
      '4 echo agent.spoke',
    ]);
  });

  it('wakes by the values of fields, compared strictly', async () => {
    const cast = [
      seat('moody'),
      seat('judge', {
        tickEvery: null,
        mayEmit: ['agent.thought'],
        subscribesTo: [{ kind: 'agent.spoke', when: { emotion: 'desperate', level: 2 } }],
      }),
    ];
    const moods = [
      {},
      { emotion: 'desperate', level: '2' },
      { emotion: 'desperate', level: 2 },
      { emotion: 'calm' },
    ];
    const moody = player('moody', ({ turn }) => speaks('oh', 'agent.spoke', moods[turn - 1]));
    const judge = player('judge', () => speaks('noted', 'agent.thought'));
    const lines = await played(options(cast, [moody, judge], { limits: { turns: 4 } }));
    expect(lines.filter((line) => line.includes('judge'))).toEqual(['4 judge agent.thought']);
  });

  it('postpones a cascade to the next turn instead of ending the run', async () => {
    const cast = [
      seat('ping', { tickEvery: 100, subscribesTo: ['world.observed', 'pong.hit'], mayEmit: ['ping.hit'] }),
      seat('pong', { tickEvery: 100, subscribesTo: ['ping.hit'], mayEmit: ['pong.hit'] }),
    ];
    const agents = cast.map(({ name, mayEmit }) => player(name, () => speaks(name, mayEmit[0])));
    const lines = await played(options(cast, agents, { limits: { turns: 3, cascade: 3 } }));
    expect(lines).toEqual([
      '1 ping ping.hit',
      '1 pong pong.hit',
      '1 ping ping.hit',
      '2 pong pong.hit',
      '2 ping ping.hit',
      '2 pong pong.hit',
      '3 ping ping.hit',
      '3 pong pong.hit',
      '3 ping ping.hit',
    ]);
  });

  it('skips a member at its limit of consecutive events, until another speaks', async () => {
    const cast = [seat('loud', { maxConsecutive: 2 }), seat('shy', { tickEvery: 4 })];
    const lines = await played(options(cast, [talker('loud'), talker('shy')], { limits: { turns: 6 } }));
    expect(lines).toEqual([
      '1 loud agent.spoke',
      '2 loud agent.spoke',
      '4 shy agent.spoke',
      '5 loud agent.spoke',
      '6 loud agent.spoke',
    ]);
  });

  it('keeps the position of a skipped woken member', async () => {
    const cast = [
      seat('a', { maxConsecutive: 1, subscribesTo: ['agent.failed'] }),
      seat('bad'),
      seat('c', { tickEvery: 3 }),
    ];
    const bad = player('bad', ({ turn }) => {
      if (turn === 1) throw new RangeError('stumbles');
      return { type: 'abstained' };
    });
    const parts = options(cast, [talker('a'), bad, speaker('c')], { limits: { turns: 4 } });
    expect(await played(parts)).toEqual([
      '1 a agent.spoke',
      '1 conductor agent.failed(bad)',
      '2 conductor agent.abstained(bad)',
      '3 conductor agent.abstained(bad)',
      '3 c agent.spoke',
      '4 a agent.spoke',
      '4 conductor agent.abstained(bad)',
    ]);
    const spoken = (await eventsOf(parts.ledger)).filter(({ actor }) => actor === 'a');
    expect(spoken[1]?.payload['text']).toContain('agent.failed');
  });

  it('first calls the members that the last turn had no calls left for', async () => {
    const cast = ['a', 'b', 'c'].map((name) => seat(name));
    const agents = cast.map(({ name }) => talker(name));
    const lines = await played(options(cast, agents, { limits: { turns: 3, callsPerTurn: 2 } }));
    expect(lines).toEqual([
      '1 a agent.spoke',
      '1 b agent.spoke',
      '2 c agent.spoke',
      '2 a agent.spoke',
      '3 b agent.spoke',
      '3 a agent.spoke',
    ]);
  });
});

describe('a member', () => {
  const next = seat('next');

  it('that throws is recorded as agent.failed, and the turn continues', async () => {
    const parts = options(
      [seat('bad'), next],
      [player('bad', () => Promise.reject(new TypeError('No words.'))), speaker('next')],
      {
        limits: { turns: 1 },
      },
    );
    expect(await played(parts)).toEqual(['1 conductor agent.failed(bad)', '1 next agent.spoke']);
    const failed = (await eventsOf(parts.ledger)).find(({ kind }) => kind === 'agent.failed');
    expect(failed?.payload).toEqual({ agent: 'bad', code: 'error', message: 'No words.' });
  });

  it('that throws with a key of the process is recorded without it, also where the message is cut', async () => {
    vi.stubEnv('ACME_API_KEY', 'planted-value-0123456789');
    onTestFinished(() => void vi.unstubAllEnvs());
    const message = `${'x'.repeat(490)} planted-value-0123456789`;
    const parts = options([seat('bad')], [player('bad', () => Promise.reject(new Error(message)))], {
      limits: { turns: 1 },
    });
    await (await createEnsemble(parts)).run();
    const events = JSON.stringify(await eventsOf(parts.ledger));
    expect(events).toContain('agent.failed');
    expect(events).not.toContain('planted');
  });

  it.each([
    ['a kind outside its grant', speaks('I win', 'judge.verdict'), 'not-granted'],
    ['a kind of the engine', speaks('done', 'run.finished'), 'not-granted'],
    ['no text', speaks(''), 'invalid-event'],
    ['a payload that is no JSON', speaks('x', 'agent.spoke', { when: new Date() }), 'invalid-event'],
  ])('that emits %s has failed, and nothing of it is appended', async (_what, act, code) => {
    const parts = options([seat('bad'), next], [player('bad', () => act), speaker('next')], {
      limits: { turns: 1 },
    });
    expect(await played(parts)).toEqual(['1 conductor agent.failed(bad)', '1 next agent.spoke']);
    expect((await eventsOf(parts.ledger))[2]?.payload).toMatchObject({ agent: 'bad', code });
  });

  it('that returns no act has failed', async () => {
    const parts = options([seat('bad'), next], [player('bad', () => undefined as never), speaker('next')], {
      limits: { turns: 1 },
    });
    expect(await played(parts)).toEqual(['1 conductor agent.failed(bad)', '1 next agent.spoke']);
  });

  it('without a usable answer is recorded as agent.skipped, with the tier', async () => {
    const skipped = {
      type: 'skipped',
      reason: 'no-text',
      provenance: { path: 'prompted', rung: 'raw', attempts: 0, tier: 'raw' },
      model: 'm',
    } as const;
    const parts = options([seat('mute'), next], [player('mute', () => skipped), speaker('next')], {
      limits: { turns: 1 },
    });
    expect(await played(parts)).toEqual(['1 conductor agent.skipped(mute)', '1 next agent.spoke']);
    const event = (await eventsOf(parts.ledger))[2];
    expect(event?.payload).toEqual({ agent: 'mute', reason: 'no-text', tier: 'raw' });
    expect(event?.provenance).toEqual(skipped.provenance);
  });

  it('that abstains is recorded as agent.abstained', async () => {
    const parts = options(
      [seat('calm'), next],
      [player('calm', () => ({ type: 'abstained' })), speaker('next')],
      { limits: { turns: 1 } },
    );
    expect(await played(parts)).toEqual(['1 conductor agent.abstained(calm)', '1 next agent.spoke']);
  });

  it('has its calls appended before its event, with the cause', async () => {
    const cast = [seat('a', { tickEvery: null, subscribesTo: ['world.observed'] })];
    const parts = options(cast, [talker('a')], { limits: { turns: 1 } });
    await (await createEnsemble(parts)).run();
    const [, genesis, call, event] = await eventsOf(parts.ledger);
    expect([genesis?.causedBy, call?.kind, call?.causedBy, event?.kind, event?.causedBy]).toEqual([
      'run-1.1',
      'model.called',
      'run-1.2',
      'agent.spoke',
      'run-1.2',
    ]);
  });

  it('sees its own events, public ones, and what it subscribes to; no more than its window', async () => {
    let seen: readonly string[] = [];
    const cast = [
      seat('a', { mayEmit: ['agent.thought', 'clue.found', 'agent.spoke'] }),
      seat('b', { subscribesTo: ['clue.found'], memory: { window: 4 }, mayEmit: ['agent.thought'] }),
    ];
    const kinds = ['agent.spoke', 'agent.thought', 'clue.found'];
    const agents = [
      player('a', ({ turn }) => speaks(`a${turn}`, kinds[(turn - 1) % 3])),
      player('b', ({ turn, visible }) => {
        seen = visible.map(({ turn, actor, kind }) => `${turn} ${actor} ${kind}`);
        return speaks(`b${turn}`, 'agent.thought');
      }),
    ];
    await played(options(cast, agents, { limits: { turns: 3 } }));
    expect(seen).toEqual(['1 a agent.spoke', '1 b agent.thought', '2 b agent.thought', '3 a clue.found']);
  });

  it('receives the number of events since its last reflection', async () => {
    const counts: number[] = [];
    const reflecting = player('a', ({ unreflected }) => {
      counts.push(unreflected);
      return unreflected >= 4 ? speaks('I believe', 'agent.reflected') : speaks('on');
    });
    await played(options([seat('a')], [reflecting], { limits: { turns: 6 } }));
    expect(counts).toEqual([2, 3, 4, 0, 1, 2]);
  });
});

describe('a run', () => {
  it('accepts user events, wakes subscribers, and waits when no member is due', async () => {
    const cast = [seat('host', { tickEvery: null, subscribesTo: ['user.injected'] })];
    const parts = options(cast, [speaker('host')]);
    const ensemble = await createEnsemble(parts);
    expect(ensemble.status().state).toBe('open');
    expect((await ensemble.run()).state).toBe('waiting');
    await ensemble.inject('Hello?', { label: 'guest' });
    expect((await ensemble.run()).state).toBe('waiting');
    expect(linesOf(await eventsOf(parts.ledger)).slice(2)).toEqual([
      '0 visitor user.injected',
      '1 host agent.spoke',
    ]);
  });

  it('appends its start before the first user event', async () => {
    const parts = options([seat('a')], [speaker('a')]);
    const ensemble = await createEnsemble(parts);
    expect(await eventsOf(parts.ledger)).toEqual([]);
    await Promise.all([ensemble.inject('One.'), ensemble.inject('Two.'), ensemble.run({ turns: 0 })]);
    expect(linesOf(await eventsOf(parts.ledger))).toEqual([
      '0 conductor run.started',
      '0 conductor world.observed',
      '0 visitor user.injected',
      '0 visitor user.injected',
    ]);
  });

  it('plays the requested number of turns, and continues from there', async () => {
    const parts = options([seat('a')], [speaker('a')]);
    const ensemble = await createEnsemble(parts);
    expect(await ensemble.run({ turns: 2 })).toMatchObject({ turn: 2, state: 'open' });
    expect(await ensemble.run({ turns: 3 })).toMatchObject({ turn: 5, state: 'open' });
    expect((await eventsOf(parts.ledger)).length).toBe(7);
  });

  it('is played step by step in the same order as at once', async () => {
    const cast = [seat('a', { subscribesTo: ['agent.spoke'] }), seat('b', { subscribesTo: ['agent.spoke'] })];
    const make = (): ReturnType<typeof options> =>
      options(cast, [speaker('a'), speaker('b')], { limits: { turns: 3, cascade: 2 } });
    const [atOnce, stepwise] = [make(), make()];
    await (await createEnsemble(atOnce)).run();
    const ensemble = await createEnsemble(stepwise);
    for (let status = ensemble.status(); status.state === 'open';) status = await ensemble.step();
    expect(linesOf(await eventsOf(stepwise.ledger))).toEqual(linesOf(await eventsOf(atOnce.ledger)));
  });

  it('ends by user_stop without a last word, and accepts no more events', async () => {
    const parts = options([seat('a')], [player('a', () => speaks('on'))]);
    const ensemble = await createEnsemble(parts);
    await ensemble.run({ turns: 1 });
    ensemble.stop();
    expect((await ensemble.run()).end?.reason).toBe('user_stop');
    await expect(ensemble.inject('too late')).rejects.toMatchObject({ code: 'run-finished' });
    expect((await eventsOf(parts.ledger)).filter(({ kind }) => kind === 'run.finished')).toHaveLength(1);
  });

  it('rejects with the reason of an abort at once, appends nothing more, and can be resumed', async () => {
    const controller = new AbortController();
    const hanging = player('slow', async (turn) => {
      if (turn.turn === 1) return speaks('one');
      setTimeout(() => controller.abort('enough'), 5);
      await new Promise((resolve) => turn.signal.addEventListener('abort', () => setTimeout(resolve, 5)));
      await charge(turn);
      return speaks('never');
    });
    const parts = options([seat('slow')], [hanging], { limits: { turns: 2 } });
    await expect((await createEnsemble({ ...parts, signal: controller.signal })).run()).rejects.toBe(
      'enough',
    );
    const before = await eventsOf(parts.ledger);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await eventsOf(parts.ledger)).toEqual(before);
    const resumed = await resumeEnsemble({ ...parts, agents: [speaker('slow')] });
    expect((await resumed.run()).end?.reason).toBe('turns');
  });

  it('is refused a second time, unknown, with another scenario, or with a stranger in it', async () => {
    const parts = options([seat('a')], [speaker('a')], { limits: { turns: 1 } });
    await expect(resumeEnsemble(parts)).rejects.toMatchObject({ code: 'unknown-run' });
    await (await createEnsemble(parts)).run();
    await expect(createEnsemble(parts)).rejects.toMatchObject({ code: 'conflict' });
    const other = { ...parts.scenario, seed: 'sun' };
    await expect(resumeEnsemble({ ...parts, scenario: other })).rejects.toMatchObject({ code: 'diverged' });
    const recast = { ...parts, scenario: { ...parts.scenario, cast: [seat('z')] }, agents: [speaker('z')] };
    await expect(resumeEnsemble(recast)).rejects.toMatchObject({ code: 'diverged' });
  });

  it('lets a second conductor of the same run fail at its first append', async () => {
    const parts = options([seat('a')], [speaker('a')]);
    const first = await createEnsemble(parts);
    await first.run({ turns: 1 });
    const second = await resumeEnsemble({ ...parts, agents: [player('a', () => speaks('something else'))] });
    await first.run({ turns: 1 });
    await expect(second.run({ turns: 1 })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('waits for a pending append on abort, so that it can be resumed at once', async () => {
    const controller = new AbortController();
    const parts = options([seat('a')], [talker('a')], { limits: { turns: 1 } });
    const ledger = {
      ...parts.ledger,
      as: (actor: string) => ({
        async append(draft: EventDraft) {
          if (draft.kind === 'model.called') setTimeout(() => controller.abort('enough'), 1);
          await new Promise((resolve) => setTimeout(resolve, 20));
          return await parts.ledger.as(actor).append(draft);
        },
      }),
    };
    await expect((await createEnsemble({ ...parts, ledger, signal: controller.signal })).run()).rejects.toBe(
      'enough',
    );
    expect(linesOf(await eventsOf(parts.ledger)).at(-1)).toBe('1 conductor model.called(a)');
    expect((await (await resumeEnsemble(parts)).run()).end?.reason).toBe('turns');
  });

  it('lets an event listener inject, and waits for it before the next member', async () => {
    const cast = [seat('a'), seat('b')];
    const parts = options(cast, [speaker('a'), speaker('b')], { limits: { turns: 1 } });
    const ensemble: Ensemble = await createEnsemble({
      ...parts,
      onEvent: async ({ kind, actor }) => {
        if (kind !== 'agent.spoke' || actor !== 'a') return;
        await new Promise((resolve) => setTimeout(resolve, 5));
        await ensemble.inject('Wait!');
      },
    });
    await ensemble.run();
    expect(linesOf(await eventsOf(parts.ledger)).slice(2, 5)).toEqual([
      '1 a agent.spoke',
      '1 visitor user.injected',
      '1 b agent.spoke',
    ]);
  });

  it('completes pending appends when a play ends', async () => {
    const parts = options([seat('a')], [speaker('a')]);
    const ledger = {
      ...parts.ledger,
      as: (actor: string) => ({
        async append(draft: EventDraft) {
          if (draft.kind === 'user.injected') await new Promise((resolve) => setTimeout(resolve, 10));
          return await parts.ledger.as(actor).append(draft);
        },
      }),
    };
    const onEvent = ({ actor }: LedgerEvent): void => {
      if (actor === 'a') void ensemble.inject('By the way');
    };
    const ensemble: Ensemble = await createEnsemble({ ...parts, ledger, onEvent });
    await ensemble.run({ turns: 1 });
    expect(linesOf(await eventsOf(parts.ledger)).at(-1)).toBe('1 visitor user.injected');
  });

  it('ends the play with an exception of onEvent, and can be resumed', async () => {
    const parts = options([seat('a')], [speaker('a')], { limits: { turns: 2 } });
    const onEvent = ({ actor }: LedgerEvent): void => {
      if (actor === 'a') throw new RangeError('The screen is gone.');
    };
    await expect((await createEnsemble({ ...parts, onEvent })).run()).rejects.toThrow('The screen is gone.');
    expect((await eventsOf(parts.ledger)).length).toBe(3);
    expect((await (await resumeEnsemble(parts)).run()).end?.turns).toBe(2);
  });

  it('allows one play at a time', async () => {
    const ensemble = await createEnsemble(options([seat('a')], [speaker('a')], { limits: { turns: 1 } }));
    const first = ensemble.run();
    await expect(ensemble.run()).rejects.toMatchObject({ code: 'invalid-option' });
    expect((await first).state).toBe('finished');
  });

  it('reports each event after its append, in order', async () => {
    const told: string[] = [];
    const parts = options([seat('a')], [talker('a')], {
      limits: { turns: 2 },
      onEvent: ({ id }) => void told.push(id),
    });
    await (await createEnsemble(parts)).run();
    expect(told).toEqual((await eventsOf(parts.ledger)).map(({ id }) => id));
  });
});
