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
    const start = (): ChildProcess => {
      const args = [HOST.pathname, url, model.openaiUrl];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      children.push(child);
      return child;
    };
    const { chat } = await machine.createChat({
      owner: OWNER,
      model: 'local:scripted',
      message: message('Go'),
    });
    const killed = start();
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), PATIENCE);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    isHanging = false;
    start();
    await vi.waitFor(async () => {
      const { status } = await machine.readChat({ owner: OWNER, chatId: chat.id });
      expect(status).toBe('waiting');
    }, PATIENCE);
    expect(model.requests).toHaveLength(2);
  });
});
