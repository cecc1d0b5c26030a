/** `client.runs` with a real server whose connections all break: each answer arrives, and nothing happens twice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { startServer } from '../../packages/server/src/http/test-server.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { OFFERS } from '../../packages/server/src/runs/state/test-runs.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

/** Bytes of answers after which a connection breaks. Every other one for a path breaks before its first byte. */
const MOST_BYTES = 3_000;
const TEXTS = Array.from({ length: 60 }, (_each, at) => `${at}`.padStart(100, '.'));
const output = Output.object({ schema: z.object({ answer: z.number() }) });

describeOnBothStores('a client whose connections all break', ({ freshUrl }) => {
  it('creates each run once, and gets its events, its result and its artifact whole', async () => {
    const server = await startServer({ url: await freshUrl(), runOffers: OFFERS });
    const machine = createRunMachine({ store: server.store });
    const { token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] });
    await using proxy = await breakingProxy(server.url);
    const client = createClient({ baseURL: proxy.url, token, maxRetries: 8 });
    const asked = { repository: 'web', agent: 'claude-code', prompt: 'Count.', output };
    const run = await client.runs.create(asked);
    const received: (string | undefined)[] = [];
    const follow = async (): Promise<void> => {
      for await (const { id, event } of run.events()) {
        received.push(id);
        if (event.type === 'text') expect(event.text).toBe(TEXTS[received.length - first]);
      }
    };
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(held?.claimed.id === run.id);
    const first = (await machine.readRun({ owner: 'anna', runId: run.id })).eventCount + 1;
    const following = follow();
    const result = run.result();
    for (const text of TEXTS) await machine.note(held.fence, { events: [{ type: 'text', text }] });
    const log = Buffer.alloc(2_000, 'x');
    await machine.note(held.fence, {
      note: { blobs: [{ name: 'log', mediaType: 'text/plain', bytes: log }] },
    });
    await machine.endRun(held.fence, { status: 'succeeded', valueText: '{"answer":42}' });
    await following;
    expect((await result).output).toEqual({ answer: 42 });
    const stored = await machine.listRunEvents({ runId: run.id, after: 0, limit: 1_000 });
    expect(received).toEqual(stored.map(({ seq }) => String(seq)));
    expect(Buffer.from(await (await run.artifact('log')).arrayBuffer()).equals(log)).toBe(true);
    const next = await run.retry();
    const { runs } = await machine.listRuns({ owner: 'anna', limit: 10 });
    expect(runs.map(({ id }) => id).toSorted()).toEqual([run.id, next.id].toSorted());
    expect(proxy.broken.early).toBeGreaterThan(3);
    expect(proxy.broken.late).toBeGreaterThan(3);
    await server.close();
    expect(server.faults).toEqual([]);
  });
});

interface BreakingProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that broke before and after the first byte of an answer. */
  readonly broken: { early: number; late: number };
}

/** Starts a proxy whose connections all break. */
async function breakingProxy(url: string): Promise<BreakingProxy> {
  const broken = { early: 0, late: 0 };
  const opened = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        for (const end of [client, upstream]) end.destroySoon();
      });
    }
    let room = 0;
    client.once('data', (bytes: Buffer) => {
      const [target = ''] = bytes.toString('latin1').split(/\?| HTTP/u);
      const count = (opened.get(target) ?? 0) + 1;
      opened.set(target, count);
      room = count % 2 === 0 ? MOST_BYTES : 0;
    });
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      const passing = bytes.subarray(0, room);
      const isWhole = passing.length === bytes.length;
      if (!isWhole) broken[room > 0 ? 'late' : 'early'] += 1;
      room -= passing.length;
      if (isWhole) client.write(passing);
      else {
        client.end(passing);
        upstream.destroy();
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // A listening TCP server has one.
  return {
    url: `http://127.0.0.1:${port}`,
    broken,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
