/** Servers and workers that share one Postgres database, each in a separate process. */
import { expect, it } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { readExposition } from '../server/read-exposition.ts';
import { temporaryFolder, truecast } from './cli-fixture.ts';
import { createdSchema, QUESTION, serve, serveBeside, start } from './serve-fixture.ts';

describeOnPostgres('truecast worker', ({ freshUrl }) => {
  it('takes over the turn of a killed server, with one receipt, then shares many chats with another, and no chat runs twice', async () => {
    const database = ['--database-url', await freshUrl()];
    let isHanging = true;
    await using model = await scriptedModelServer({
      script: async ({ signal }) => {
        if (isHanging) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return submit({ answer: 7 });
      },
    });
    const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
    await using killed = await serve(temporaryFolder(), database, env);
    const { chat, request_id: requestId } = createdSchema.parse(await killed.ask('/api/chats', QUESTION));
    await expect.poll(() => model.turns.length, { timeout: 30_000 }).toBe(1);

    const cwd = temporaryFolder();
    await using worker = start(cwd, ['worker', ...database, '--metrics-port', '0'], env);
    const [, metrics = ''] = await worker.until(
      /^metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)$[^]*Working\./mu,
    );
    isHanging = false;
    await killed.end('SIGKILL');
    const killedAtMs = performance.now();
    await expect.poll(() => model.turns.length, { timeout: 60_000 }).toBe(2);
    process.stdout.write(`taken over after ${Math.round(performance.now() - killedAtMs)} ms\n`);

    // Two processes share the chats: the worker's, and that of the suites.
    await using server = await serveBeside(cwd, database, env);
    const owner = { authorization: `Bearer ${killed.token}` };
    const path = `${server.url}/api/chats/${chat.id}`;
    const receipt: unknown = await (
      await fetch(`${path}/requests/${requestId}?wait=30`, { headers: owner })
    ).json();
    expect(receipt).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
    const messages = await (await fetch(`${path}/messages`, { headers: owner })).text();
    expect(messages.split('"type":"outcome"').length - 1).toBe(1);

    const asked = await Promise.all(
      Array.from({ length: 12 }, async () => createdSchema.parse(await server.ask('/api/chats', QUESTION))),
    );
    const receipts = await Promise.all(
      asked.map(({ chat, request_id }) => server.ask(`/api/chats/${chat.id}/requests/${request_id}?wait=60`)),
    );
    for (const receipt of receipts) {
      expect(receipt).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
    }
    expect(model.turns.length).toBe(2 + asked.length);

    expect((await fetch(metrics)).status).toBe(401);
    expect((await fetch(metrics.replace('/metrics', '/healthz'))).status).toBe(200);
    const bearer = { authorization: `Bearer ${server.token}` };
    const pages = [metrics, `${server.url}/metrics`].map(async (url) =>
      readExposition(await (await fetch(url, { headers: bearer })).text()),
    );
    const calls = 'truecast_model_calls_total{model="local:scripted",outcome="tool_calls"}';
    const counted = (await Promise.all(pages)).map(({ samples }) => samples.get(calls) ?? 0);
    // Each process counts its own work.
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(1 + asked.length);
    const ran = worker.logged().filter(({ event }) => event === 'model_call');
    expect(ran).toHaveLength(counted[0] ?? -1);
    expect(await worker.end('SIGTERM')).toBe(0);
  });

  it('needs the database of a server', async () => {
    const { exitCode, stderr } = await truecast(temporaryFolder(), 'worker');
    expect(stderr).toContain('--database-url postgres://');
    expect(exitCode).toBe(2);
  });
});
