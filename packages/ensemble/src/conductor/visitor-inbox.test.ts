import { expect, it } from 'vitest';
import { createEnsemble, resumeEnsemble } from './ensemble.ts';
import { player, eventsOf, options, speaks, seat } from './test-ensemble.ts';
import { followInbox, leaveMessage } from './visitor-inbox.ts';

it('injects each message of another process once, also after a resume', async () => {
  const cast = [seat('a'), seat('b', { tickEvery: null, subscribesTo: ['user.injected'] })];
  const heard: unknown[] = [];
  const make = () => {
    const controller = new AbortController();
    const talking = player('a', async ({ turn }) => {
      if (turn !== 2) return speaks('on');
      await leaveMessage(parts.ledger, 'run-1', { text: 'Rain!', label: 'ann' });
      await arrived;
      return speaks('heard');
    });
    const listening = player('b', ({ cause }) => {
      heard.push(cause?.payload);
      return speaks('what?');
    });
    return { controller, agents: [talking, listening] };
  };
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const { controller, agents } = make();
  const parts = options(cast, agents, {
    limits: { turns: 3 },
    onEvent: ({ kind }) => (kind === 'user.injected' ? arrive() : undefined),
  });
  const ensemble = await createEnsemble(parts);
  const following = followInbox(ensemble, parts.ledger, controller.signal);
  await ensemble.run({ turns: 2 });
  controller.abort();
  await following;
  const again = new AbortController();
  const resumed = await resumeEnsemble(parts);
  const followingAgain = followInbox(resumed, parts.ledger, again.signal);
  await resumed.run();
  again.abort();
  await followingAgain;
  expect(heard).toEqual([{ text: 'Rain!', label: 'ann' }]);
  const injected = (await eventsOf(parts.ledger)).filter(({ kind }) => kind === 'user.injected');
  expect(injected).toHaveLength(1);
  expect((await parts.ledger.runs()).map(({ runId }) => runId)).toEqual(['run-1']);
});
