/**
 * Kills a worker inside a turn. The next worker on the same machine does not wait for the lease.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { message, OWNER } from './test-server.ts';

const HOST = new URL('killed-worker-host.ts', import.meta.url);
const PATIENCE = { timeout: 60_000, interval: 50 };
/** On platforms that cannot report dead processes, the lease has to expire. */
const CAN_TELL = process.platform === 'linux';

describeOnBothStores('a worker that was killed', (fixture) => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(url: string, modelUrl: string): ChildProcess {
    const args = [HOST.pathname, url, modelUrl];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    children.push(child);
    return child;
  }

  it.runIf(CAN_TELL)('loses its turn to the next start, long before its lease expires', async () => {
    let isHanging = true;
    await using model = await scriptedModelServer({
      script: async ({ signal }) => {
        if (isHanging) await once(signal, 'abort');
        return reply.text('Done.');
      },
    });
    const url = await fixture.freshUrl();
    const machine = createChatMachine({ store: await fixture.open(url) });
    const { chat } = await machine.createChat({
      owner: OWNER,
      model: 'local:scripted',
      message: message('Go'),
    });
    const killed = start(url, model.openaiUrl);
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), PATIENCE);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    isHanging = false;
    start(url, model.openaiUrl);
    await vi.waitFor(async () => {
      const { status } = await machine.readChat({ owner: OWNER, chatId: chat.id });
      expect(status).toBe('waiting');
    }, PATIENCE);
    expect(model.requests).toHaveLength(2);
  });

  it('loses no retry that its chat waits for', async () => {
    await using model = await scriptedModelServer({
      script: [reply.error(503, { retryAfterSeconds: 3 }), reply.text('Done.')],
    });
    const url = await fixture.freshUrl();
    const machine = createChatMachine({ store: await fixture.open(url) });
    const asked = { owner: OWNER, model: 'local:scripted', message: message('Go') };
    const { chat } = await machine.createChat(asked);
    const read = () => machine.readChat({ owner: OWNER, chatId: chat.id });
    const killed = start(url, model.openaiUrl);
    await vi.waitFor(async () => expect((await read()).isAwaitingRetry).toBe(true), PATIENCE);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(model.requests).toHaveLength(1);
    start(url, model.openaiUrl);
    await vi.waitFor(async () => expect((await read()).status).toBe('waiting'), PATIENCE);
    expect(model.requests).toHaveLength(2);
  });
});
