/** Runs whose models never comply. */
import { expect, it } from 'vitest';
import type { AgentAct, AgentTurn } from '../scenario/ensemble-agent.ts';
import { createEnsemble, resumeEnsemble } from './ensemble.ts';
import { player, eventsOf, options, PROVENANCE, speaks, seat } from './test-ensemble.ts';

const skipped: AgentAct = {
  type: 'skipped',
  reason: 'No usable answer.',
  provenance: PROVENANCE,
  model: 'm',
};
const CAST = [seat('ada'), seat('bob')];

async function playedWith(
  act: (name: string, turn: AgentTurn) => AgentAct,
  turns = 9,
): Promise<readonly (readonly [unknown, unknown])[]> {
  const agents = CAST.map(({ name }) => player(name, (turn) => act(name, turn)));
  const parts = options(CAST, agents, { limits: { turns } });
  await (await createEnsemble(parts)).run();
  return (await eventsOf(parts.ledger)).map(({ kind, payload }) => [kind, payload['reason']]);
}

it('ends after two whole turns without an event, without a last word', async () => {
  const events = await playedWith(() => skipped);
  expect(events.slice(2)).toEqual([
    ...Array.from({ length: 4 }, () => ['agent.skipped', 'No usable answer.']),
    ['run.closing', 'no-progress'],
    ['run.finished', 'no-progress'],
  ]);
});

it('continues if one member speaks in each second turn, or chooses to be silent', async () => {
  const now = await playedWith((name, { turn }) =>
    name === 'bob' && turn % 2 === 0 ? speaks('Here.') : skipped,
  );
  expect(now.at(-1)).toEqual(['run.finished', 'turns']);
  const silent = await playedWith(() => ({ type: 'abstained' }));
  expect(silent.at(-1)).toEqual(['run.finished', 'turns']);
});

it('names the reason although the turns are used up too', async () => {
  expect((await playedWith(() => skipped, 2)).at(-1)).toEqual(['run.finished', 'no-progress']);
  expect((await playedWith(() => skipped, 1)).at(-1)).toEqual(['run.finished', 'turns']);
});

it('counts the turns before a resume', async () => {
  const parts = options(
    CAST,
    CAST.map(({ name }) => player(name, () => skipped)),
  );
  await (await createEnsemble(parts)).run({ turns: 1 });
  await (await resumeEnsemble(parts)).run();
  expect((await eventsOf(parts.ledger)).at(-1)).toMatchObject({
    turn: 2,
    payload: { reason: 'no-progress' },
  });
});
