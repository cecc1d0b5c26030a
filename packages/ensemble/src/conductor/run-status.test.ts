import { expect, it } from 'vitest';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import { createEnsemble } from './ensemble.ts';
import { player, charge, eventsOf, options, speaks, seat } from './test-ensemble.ts';

it('ends by user_stop after the last word of the judges, if requested', async () => {
  const judge = seat('judge', { role: 'judge', mayEmit: ['judge.verdict'], tickEvery: null });
  const parts = options(
    [seat('a'), judge],
    [
      player('a', () => speaks('on')),
      player('judge', ({ isLast }) => speaks('a it is', 'judge.verdict', { winner: isLast ? 'a' : null })),
    ],
    { scenarioChange: { competition: { kind: 'judged' } } },
  );
  const ensemble = await createEnsemble(parts);
  await ensemble.run({ turns: 1 });
  ensemble.stop({ lastWord: true });
  expect((await ensemble.run()).end).toMatchObject({ reason: 'user_stop', winner: 'a' });
  const closing = (await eventsOf(parts.ledger)).find(({ kind }) => kind === 'run.closing');
  expect(closing?.payload).toEqual({ reason: 'user_stop', last_word: true });
});

it('reports calls, money, limits and the next member', async () => {
  const usage = { ...NO_USAGE, costUsd: 0.25 };
  const paid = player('a', async (turn) => {
    await charge(turn, { usage });
    return speaks('on');
  });
  const parts = options([seat('a'), seat('b')], [paid, player('b', () => speaks('off'))], {
    limits: { turns: 7 },
  });
  const ensemble = await createEnsemble(parts);
  expect(await ensemble.step()).toMatchObject({
    calls: 1,
    usdThisHour: 0.25,
    next: 'b',
    limits: { turns: 7, calls: 500 },
  });
  await ensemble.run();
  expect(ensemble.status()).toMatchObject({ calls: 7, usdThisHour: 1.75, state: 'finished' });
});
