/** Test of a message that the server stores: the conductor of the run injects it as one of the command. */
import { expect, it } from 'vitest';
import { createEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import {
  eventsOf,
  options,
  player,
  seat,
  speaks,
} from '../../packages/ensemble/src/conductor/test-ensemble.ts';
import { followInbox } from '../../packages/ensemble/src/conductor/visitor-inbox.ts';
import { storeLedger } from '../../packages/ensemble/src/ledger/store-ledger.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { startServer } from '../../packages/server/src/http/test-server.ts';

it('injects a message that was sent over HTTP while the run is played', { timeout: 20_000 }, async () => {
  const server = await startServer();
  const { token } = await issueToken(server.store, { name: 'project', scopes: ['project'] });
  const cast = [seat('a'), seat('b', { tickEvery: null, subscribesTo: ['user.injected'] })];
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const heard: unknown[] = [];
  const talking = player('a', async ({ turn }) => {
    if (turn !== 2) return speaks('on');
    const path = '/api/ensembles/runs/run-1/say';
    expect((await server.ask('POST', path, { token, body: { text: 'Rain!' } })).status).toBe(201);
    await arrived;
    return speaks('heard');
  });
  const listening = player('b', ({ cause }) => {
    heard.push(cause?.payload);
    return speaks('what?');
  });
  const parts = {
    ...options(cast, [talking, listening], {
      limits: { turns: 3 },
      onEvent: ({ kind }) => (kind === 'user.injected' ? arrive() : undefined),
    }),
    ledger: storeLedger(server.store, { cast }),
  };
  const ensemble = await createEnsemble(parts);
  const stopping = new AbortController();
  const following = followInbox(ensemble, parts.ledger, stopping.signal);
  await ensemble.run();
  stopping.abort();
  await following;
  expect(heard).toEqual([{ text: 'Rain!' }]);
  const injected = (await eventsOf(parts.ledger)).filter(
    ({ kind, runId }) => kind === 'user.injected' && runId === 'run-1',
  );
  expect(injected).toMatchObject([{ actor: 'visitor' }]);
  await server.close();
});
