/** Cost of a turn on Postgres, from the create request to the receipt, counted on the wire. */
import { expect, it, vi } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { countedPostgres, type PostgresTraffic } from './counted-postgres.ts';
import { httpServer } from './http-server.ts';

const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'answer', schema: { type: 'object', properties: { n: { type: 'integer' } } } },
};
const PINNED = { statements: 17, roundTrips: 5 };
/** Each connection of the pool prepares its statements once. */
const TURNS = 20;
/** A busy machine answers late. */
const SOON = { interval: 2, timeout: 120_000 };

function middleOf(turns: readonly PostgresTraffic[]): PostgresTraffic {
  const sorted = turns.toSorted((left, right) => left.statements - right.statements);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** A store that closes before its proxy, and after its server. */
async function openedStore(url: string): Promise<Store & AsyncDisposable> {
  const store = await openStore({ url });
  return { ...store, [Symbol.asyncDispose]: store.close };
}

describeOnPostgres('a turn with a response format', ({ freshUrl }) => {
  it('needs exactly the pinned statements and round trips', async () => {
    await using proxy = await countedPostgres(await freshUrl());
    await using store = await openedStore(proxy.url);
    let isWaiting = Promise.withResolvers<void>();
    await using server = await httpServer({
      store,
      script: async () => {
        await isWaiting.promise;
        return reply.tool(FINALIZER_NAME, { output: { n: 7 } });
      },
      // Nothing of the clock is part of a turn.
      sweepMs: 1_000_000,
      ports: {
        heartbeatMs: 1_000_000,
        // Hints for other processes are sent by time, not by turn.
        live: liveParts({ dialect: 'sqlite', notifications: store.notifications }),
      },
    });
    const turn = async (): Promise<PostgresTraffic> => {
      const before = { ...proxy.traffic };
      const { chatId, requestId } = await server.begin({ content: 'Count', response_format: FORMAT });
      const created = proxy.traffic.statements;
      const receipt = server.receipt(chatId, requestId);
      // The client looks once before the turn ends. Nothing else asks the database until then.
      await vi.waitFor(() => expect(proxy.traffic.statements).toBeGreaterThan(created), SOON);
      isWaiting.resolve();
      expect(await receipt).toMatchObject({ status: 'succeeded' });
      isWaiting = Promise.withResolvers();
      const { statements, roundTrips } = proxy.traffic;
      return {
        statements: statements - before.statements,
        roundTrips: roundTrips - before.roundTrips,
      };
    };
    const turns: PostgresTraffic[] = [];
    while (turns.length < TURNS) turns.push(await turn());
    // A cached token expires, or a client looks once more or less: the middle turn counts.
    const { statements, roundTrips } = middleOf(turns);
    expect({ statements, roundTrips }).toEqual(PINNED);
  });
});
