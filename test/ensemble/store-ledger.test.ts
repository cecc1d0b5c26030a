/** Tests that a ledger in a database survives its writers, and is the same for every program. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnBothStores, describeOnPostgres } from '../describe-on-both-stores.ts';
import { lockName } from '../../packages/store/src/locks.ts';
import { EVENTS_CHANNEL } from '../../packages/store/src/watch-events.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Ledger } from '../../packages/ensemble/src/ledger/ledger.ts';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import { openLedger, type OpenedLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import { storeLedger } from '../../packages/ensemble/src/ledger/store-ledger.ts';

const CAST = [{ name: 'bo', mayEmit: ['agent.spoke'] }];

async function say(
  ledger: Ledger,
  id: string,
  payload: LedgerEvent['payload'] = { text: id },
): Promise<LedgerEvent> {
  return await ledger.as('bo').append({ id, runId: 'r', turn: 1, kind: 'agent.spoke', payload });
}

describeOnBothStores('a ledger that is kept', ({ freshUrl }) => {
  let url: string;
  const opened: OpenedLedger[] = [];

  beforeEach(async () => {
    url = await freshUrl();
  });

  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close();
  });

  const open = async (cast = CAST): Promise<OpenedLedger> => {
    const ledger = await openLedger({ url, cast });
    opened.push(ledger);
    return ledger;
  };

  it('returns the same events when it is opened again', async () => {
    const first = await open();
    const payload = { text: 'a\0b\uD800', list: [1, { deep: null }], _raw_fallback: true };
    const provenance = { path: 'prompted', rung: 'raw', attempts: 0, tier: 'raw' } as const;
    const draft = {
      id: 'e',
      runId: 'r',
      turn: 1,
      kind: 'agent.spoke',
      payload,
      causedBy: 'x',
      model: 'm',
      provenance,
    };
    const event = await first.as('bo').append(draft);
    await first.close();
    const seen: LedgerEvent[] = [];
    for await (const read of (await open()).read('r')) seen.push(read);
    expect(seen).toEqual([event]);
    expect(Object.isFrozen(seen[0]?.provenance)).toBe(true);
    expect(await (await open()).as('bo').append(draft)).toEqual(event);
  });

  it(
    'can be followed from another process, without lost or repeated events while two append',
    { timeout: 240_000 },
    async () => {
      const [one, two, reader] = [await open(), await open(), await open([])];
      const following = (async () => {
        const ids: string[] = [];
        for await (const { id } of reader.tail(0)) {
          ids.push(id);
          if (ids.length === 60) return ids;
        }
        return ids;
      })();
      for (let index = 0; index < 30; index += 1) {
        await Promise.all([say(one, `one ${index}`), say(two, `two ${index}`)]);
      }
      const ids = await following;
      expect(new Set(ids).size).toBe(60);
      expect(ids.filter((id) => id.startsWith('one'))).toEqual(
        Array.from({ length: 30 }, (_unused, index) => `one ${index}`),
      );
    },
  );

  it('gives an id to one of two processes, and reports the conflict to the other', async () => {
    const [one, two] = [await open(), await open()];
    const outcomes = await Promise.allSettled([
      say(one, 'e', { text: 'one' }),
      say(two, 'e', { text: 'two' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    });
  });

  it('reports which event is damaged', async () => {
    const ledger = await open();
    await say(ledger, 'e');
    const store = await openStore({ url });
    await store.db.updateTable('events').set({ payload: '{"text":' }).execute();
    await store.close();
    const reading = (async () => {
      for await (const _event of ledger.read('r'));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'invalid-event' });
    await expect(reading).rejects.toThrow('event at 1');
  });

  it('is not left open when its cast is refused', async () => {
    await expect(openLedger({ url, cast: [{ name: 'conductor', mayEmit: [] }] })).rejects.toMatchObject({
      code: 'invalid-option',
    });
  });
});

describeOnPostgres('appends that wait for another process', ({ freshUrl, open }) => {
  it('leave connections for readers, however many ledgers append', async () => {
    const url = await freshUrl();
    const [own, other] = [await open(url), await open(url)];
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.transaction(async (tx) => {
      await lockName(tx, EVENTS_CHANNEL);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const ids = Array.from({ length: 20 }, (_unused, index) => `e ${index}`);
    const appends = Promise.all(ids.map((id) => say(storeLedger(own, { cast: CAST }), id)));
    const read: string[] = [];
    try {
      // The first reader can get a connection before the appends.
      for (let count = 0; count < 3; count += 1) {
        for await (const { id } of storeLedger(own).read('r')) read.push(id);
      }
    } finally {
      release.resolve();
      await holding;
    }
    expect(read).toEqual([]);
    const offsets = (await appends).map(({ offset }) => offset);
    expect(new Set(offsets).size).toBe(ids.length);
    expect(offsets).toEqual(offsets.toSorted((one, next) => one - next));
  });
});
