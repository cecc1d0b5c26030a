/** Deliveries of webhooks on both databases: real requests to receivers of this machine, and a clock of the test. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { describeOnBothStores } from '../both-stores.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { OFFERS, RUN_OWNER, runRequest } from '../../packages/server/src/runs/state/test-runs.ts';
import {
  enqueueTry,
  startWebhooks,
  WEBHOOK_QUEUE,
} from '../../packages/server/src/runs/webhooks/deliver-webhooks.ts';
import { webhookPoster } from '../../packages/server/src/serve/runs/post-webhook.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A receiver that answers with these statuses, one after the other. 0 never answers. */
async function receive(...statuses: readonly number[]) {
  const received: Received[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const status = statuses[received.length] ?? 200;
      received.push({ headers: request.headers, body });
      if (status !== 0) response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(1_000_000));
    });
  };
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}/hook`, rule: `localhost:${port}`, received, server };
}

describeOnBothStores('webhooks', (open) => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    const { db } = open();
    for (const table of [
      'webhook_deliveries',
      'agent_run_events',
      'agent_run_executions',
      'agent_runs',
    ] as const) {
      await db.deleteFrom(table).execute();
    }
  });

  async function start(store: Store, allow: readonly string[]) {
    const clock = { aheadMs: 0 };
    const queue = await openJobQueue({ store, queues: [WEBHOOK_QUEUE], onWarning: () => undefined });
    closers.push(() => queue.close());
    const machine = createRunMachine({
      store,
      now: () => Date.now() + clock.aheadMs,
      webhookKey: 'k'.repeat(32),
      announce: (tx, id) => enqueueTry(queue, id, { tx }),
    });
    const post = webhookPoster(allow, { timeoutMs: 1_000 });
    closers.push(await startWebhooks({ context: machine.webhooks, queue, post }));
    const end = async (url: string, metadata?: Record<string, string>): Promise<string> => {
      const request = runRequest({ webhook: { url }, ...(metadata && { metadata }) });
      const { id } = await machine.createRun({ owner: RUN_OWNER, request });
      const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
      await machine.endRun(held!.fence, { status: 'succeeded', text: 'Done.' });
      return id;
    };
    const delivery = async (runId: string) =>
      (await machine.listDeliveries({ owner: RUN_OWNER, runId })).at(-1);
    /** Makes the next try due, and sends it. */
    const pass = async (runId: string): Promise<void> => {
      const { id = '', next_at: next } = (await delivery(runId)) ?? {};
      clock.aheadMs = (next ?? 0) - Date.now() + 1;
      await enqueueTry(queue, id);
    };
    return { machine, end, delivery, pass };
  }

  it('a delivery is signed, tried again with the same id, and then over', async () => {
    const { url, rule, received } = await receive(302);
    const { machine, end, delivery, pass } = await start(open(), [rule]);
    const runId = await end(url, { issue: '42' });
    await expect
      .poll(() => delivery(runId))
      .toMatchObject({ tries: 1, status: 'pending', answer_status: 302 });
    const { secret } = await machine.rotateSecret(RUN_OWNER);
    await pass(runId);
    await expect.poll(() => delivery(runId)).toMatchObject({ tries: 2, status: 'delivered', next_at: null });
    // The redirect was not followed.
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      type: 'run.succeeded',
      timestamp: expect.any(String) as string,
      data: { run_id: runId, status: 'succeeded', metadata: { issue: '42' } },
    });
    const { previous } = await machine.readSecrets(RUN_OWNER);
    const last = received[1]!;
    // The clock of the test is ahead by less than the tolerance of the package.
    for (const each of [secret, previous?.secret ?? '']) {
      expect(new Webhook(each).verify(last.body, last.headers as Record<string, string>)).toBeTruthy();
    }
  });

  it('an address that answers 410 gets nothing more, until a delivery is sent again', async () => {
    const { url, rule, received } = await receive(410);
    const { machine, end, delivery } = await start(open(), [rule]);
    const first = await end(url);
    await expect.poll(() => delivery(first)).toMatchObject({ status: 'gone', answer_status: 410 });
    const second = await end(url);
    await expect.poll(() => delivery(second)).toMatchObject({ status: 'gone', tries: 0 });
    expect(received).toHaveLength(1);
    const { id: deliveryId = '' } = (await delivery(second)) ?? {};
    await machine.redeliver({ owner: RUN_OWNER, runId: second, deliveryId });
    await expect.poll(() => delivery(second)).toMatchObject({ status: 'delivered' });
    await expect(delivery(first)).resolves.toMatchObject({ status: 'failed' });
    const foreign = machine.redeliver({ owner: 'ben', runId: second, deliveryId });
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' });
  });

  it('a receiver that is down gets the delivery when it is back', async () => {
    const { url, rule, received, server } = await receive();
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { end, delivery, pass } = await start(open(), [rule]);
    const runId = await end(url);
    await expect.poll(() => delivery(runId)).toMatchObject({ tries: 1, status: 'pending' });
    expect((await delivery(runId))?.error).toContain('ECONNREFUSED');
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await pass(runId);
    await expect.poll(() => delivery(runId)).toMatchObject({ tries: 2, status: 'delivered' });
    expect(received).toHaveLength(1);
  });

  it('a receiver that hangs does not delay another one, and one that is not listed is not called', async () => {
    const [hanging, quick, secret] = [await receive(0), await receive(), await receive()];
    const { end, delivery } = await start(open(), [hanging.rule, quick.rule]);
    const stuck = await end(hanging.url);
    const refused = await end(secret.url);
    const done = await end(quick.url);
    await expect.poll(() => delivery(done)).toMatchObject({ status: 'delivered' });
    await expect.poll(() => delivery(refused)).toMatchObject({ tries: 1, status: 'pending' });
    expect((await delivery(refused))?.error).toContain('which is this machine or not on the public internet');
    await expect
      .poll(() => delivery(stuck), { timeout: 5_000 })
      .toMatchObject({ error: 'The receiver did not answer in time.' });
    expect(secret.received).toEqual([]);
  });
});

it.each([
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  'fe80::1',
  'fd00::1',
  '::ffff:10.0.0.1',
])('a public name that resolves to %s is not called', async (address) => {
  const family = address.includes(':') ? 6 : 4;
  const asked: string[] = [];
  const post = webhookPoster([], {
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve([{ address, family }]);
    },
  });
  for (const protocol of ['http', 'https']) {
    await expect(post(`${protocol}://ci.example.com/hook`, { headers: {}, body: '{}' })).resolves.toEqual({
      error: expect.stringContaining('this machine or not on the public internet') as string,
    });
  }
  expect(asked).toEqual(['ci.example.com', 'ci.example.com']);
});
