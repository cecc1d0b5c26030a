/**
 * Kills a worker inside a turn. The next worker on the same machine does not wait for the lease.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRow } from '../matrix.ts';
import { message, OWNER } from './test-server.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const spanSchema = z.object({
  name: z.string(),
  traceId: z.string(),
  parentId: z.string().optional(),
  attributes: z.record(z.string(), z.unknown()),
});
const HOST = await bundledHost(new URL('killed-worker-host.ts', import.meta.url));
const PATIENCE = { timeout: 120_000, interval: 50 };
/** On platforms that cannot report dead processes, the lease has to expire. */
const CAN_TELL = process.platform === 'linux';

/** Spans of a process, as they end. */
function spansOf({ stdout }: ChildProcess): readonly z.infer<typeof spanSchema>[] {
  const spans: z.infer<typeof spanSchema>[] = [];
  if (stdout !== null) {
    createInterface({ input: stdout }).on('line', (line) => spans.push(spanSchema.parse(JSON.parse(line))));
  }
  return spans;
}

describeOnBothStores('a worker that was killed', (fixture) => {
  const itIfTold = matrixRow(fixture.row, { rows: 2 }, (name, test) => it.runIf(CAN_TELL)(name, test));
  const itInTurns = matrixRow(fixture.row, { rows: 2 });
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(url: string, modelUrl: string, stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
    const args = [HOST, url, modelUrl];
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] });
    children.push(child);
    return child;
  }

  itIfTold('loses its turn to the next start, long before its lease expires', async () => {
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
    await vi.waitFor(() => expect(model.turns).toHaveLength(1), PATIENCE);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    isHanging = false;
    start(url, model.openaiUrl);
    await vi.waitFor(async () => {
      const { status } = await machine.readChat({ owner: OWNER, chatId: chat.id });
      expect(status).toBe('waiting');
    }, PATIENCE);
    expect(model.turns).toHaveLength(2);
  });

  itIfTold('has spans in the trace of the request, and the next start continues it', async () => {
    let isHanging = true;
    await using model = await scriptedModelServer({
      script: async ({ signal, toolResults }) => {
        if (toolResults.length === 0) return reply.tool('unknown', {});
        if (isHanging) await once(signal, 'abort');
        return reply.text('Done.');
      },
    });
    const url = await fixture.freshUrl();
    const machine = createChatMachine({ store: await fixture.open(url) });
    const { chat } = await machine.createChat({
      owner: OWNER,
      model: 'local:scripted',
      message: { ...message('Go'), traceparent: `00-${TRACE}-${CALLER}-01` },
    });
    const killed = start(url, model.openaiUrl, 'pipe');
    const lost = spansOf(killed);
    await vi.waitFor(() => expect(model.turns).toHaveLength(2), PATIENCE);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    isHanging = false;
    const next = start(url, model.openaiUrl, 'pipe');
    const spans = spansOf(next);
    await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent chat'), PATIENCE);
    const { status } = await machine.readChat({ owner: OWNER, chatId: chat.id });
    expect(status).toBe('waiting');
    expect([...lost, ...spans].map(({ traceId }) => traceId)).toEqual(Array.from({ length: 4 }, () => TRACE));
    // The span that was open at the kill is lost with its process. Its children are not.
    expect(lost.map(({ name }) => name)).toEqual(['chat local:scripted', 'execute_tool unknown']);
    const turn = spans.find(({ name }) => name === 'invoke_agent chat');
    expect(turn).toMatchObject({ parentId: CALLER, attributes: { 'truecast.turn.attempt': 1 } });
    expect(turn?.attributes['truecast.turn.lost_worker']).toContain(` ${killed.pid} `);
  });

  itInTurns('loses no retry that its chat waits for', async () => {
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
    expect(model.turns).toHaveLength(1);
    start(url, model.openaiUrl);
    await vi.waitFor(async () => expect((await read()).status).toBe('waiting'), PATIENCE);
    expect(model.turns).toHaveLength(2);
  });
});
