import { describe, expect, it } from 'vitest';
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import { createEnsemble, resumeEnsemble } from './ensemble.ts';
import { player, charge, eventsOf, linesOf, options, speaks, seat } from './test-ensemble.ts';

const NAMES = ['a', 'b', 'c'];
const judge = seat('judge', { role: 'judge', mayEmit: ['judge.verdict'] });
const parallel = { parallel: true, competition: { kind: 'judged' } } as const;

/** Agents that answer in the reverse order of the cast, and record what they heard. */
function reversed(heard: string[] = []): readonly EnsembleAgent[] {
  const answered = new Map(NAMES.map((name) => [name, Promise.withResolvers<void>()]));
  return NAMES.map((name, index) =>
    player(name, async (turn) => {
      heard.push(`${turn.turn} ${name}: ${turn.visible.filter(({ kind }) => kind === 'agent.spoke').length}`);
      const next = NAMES[index + 1];
      if (turn.turn === 1 && next !== undefined) await answered.get(next)?.promise;
      answered.get(name)?.resolve();
      await charge(turn);
      return speaks(`${name} speaks`);
    }),
  );
}

describe('a tick in parallel', () => {
  it('appends answers in cast order, whichever comes first, and judges hear them all', async () => {
    const heard: string[] = [];
    const ruling = player('judge', (turn) => {
      heard.push(`judge: ${turn.visible.filter(({ kind }) => kind === 'agent.spoke').length}`);
      return speaks('on', 'judge.verdict', { winner: null });
    });
    const cast = [...NAMES.map((name) => seat(name)), judge];
    const parts = options(cast, [...reversed(heard), ruling], {
      limits: { turns: 2 },
      scenarioChange: parallel,
    });
    await (await createEnsemble(parts)).run({ turns: 2 });
    const lines = linesOf(await eventsOf(parts.ledger)).filter((line) => line.startsWith('1 '));
    expect(lines).toEqual([
      ...NAMES.flatMap((name) => [`1 conductor model.called(${name})`, `1 ${name} agent.spoke`]),
      '1 judge judge.verdict',
    ]);
    expect(heard.slice(0, 8)).toEqual([
      '1 a: 0',
      '1 b: 0',
      '1 c: 0',
      'judge: 3',
      '2 a: 3',
      '2 b: 3',
      '2 c: 3',
      'judge: 6',
    ]);
  });

  it('charges the calls of members that a verdict or a budget came before', async () => {
    const outcomes: unknown[] = [];
    const paying = NAMES.map((name) =>
      player(name, async (turn) => {
        await charge(turn).catch((error: unknown) => {
          outcomes.push(BudgetExceededError.isInstance(error));
          throw error;
        });
        return speaks('on');
      }),
    );
    const parts = options(
      NAMES.map((name) => seat(name)),
      paying,
      { limits: { calls: 1 }, scenarioChange: { parallel: true } },
    );
    const { end } = await (await createEnsemble(parts)).run();
    expect(end?.reason).toBe('budget');
    const kinds = (await eventsOf(parts.ledger)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'model.called')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'agent.spoke')).toHaveLength(1);
    expect(outcomes).toEqual([true, true]);
  });

  it('is resumed in the middle of a tick, to the same order', async () => {
    const cast = NAMES.map((name) => seat(name));
    const controller = new AbortController();
    const make = () =>
      options(cast, reversed(), { limits: { turns: 2 }, scenarioChange: { parallel: true } });
    const whole = make();
    await (await createEnsemble(whole)).run();
    const broken = make();
    const stopping = await createEnsemble({
      ...broken,
      signal: controller.signal,
      onEvent: ({ kind, actor }) =>
        kind === 'agent.spoke' && actor === 'a' ? controller.abort('enough') : undefined,
    });
    await expect(stopping.run()).rejects.toBe('enough');
    const heard: string[] = [];
    const agents = NAMES.map((name) =>
      player(name, async (turn) => {
        heard.push(
          `${turn.turn} ${name}: ${turn.visible.filter(({ kind }) => kind === 'agent.spoke').length}`,
        );
        await charge(turn);
        return speaks(`${name} speaks`);
      }),
    );
    await (await resumeEnsemble({ ...broken, agents })).run();
    expect(heard.slice(0, 2)).toEqual(['1 b: 0', '1 c: 0']);
    expect(linesOf(await eventsOf(broken.ledger))).toEqual(linesOf(await eventsOf(whole.ledger)));
  });
});
