/** Streams of an owner's changes over real HTTP: contents, resumption, isolation and ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateHome } from '@truecast/host/internal/state-home';
import { EVENTS_CHANNEL } from '@truecast/store/internal/watch-events';
import { keptRunId } from 'truecast/internal/run/record/kept-run';
import { writeKeptRun } from 'truecast/internal/run/record/write-kept-run';
import { openRunArchive } from '../../serve/kept-runs/run-archive.ts';
import { describeOnBothStores } from '../../../../../test/describe-on-both-stores.ts';
import { matrixRow } from '../../../../../test/matrix.ts';
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import { createRunMachine } from '../../runs/state/run-machine.ts';
import { OFFERS } from '../../runs/state/test-runs.ts';
import { revokeToken } from '../../tokens/token-rows.ts';
import { issueToken } from '../../tokens/access-token.ts';
import { settleTurn, FORMAT, startServer, type TestServer } from '../test-server.ts';
import { readOwnerStream, type ReadEvent } from './test-stream.ts';

type Received = ReadEvent<OwnerStreamEvent>;

describeOnBothStores('streams of an owner', ({ freshUrl, row }) => {
  const itInTurns = matrixRow(row, { rows: 2 });

  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = join(stateHome(), `stream-${randomUUID()}`);
    // Without pings: a stream whose token is revoked ends before the next one.
    const streamTimes = { pollMs: 200, pingMs: 600_000, slowMs: 10_000 };
    server = await startServer({
      url: await freshUrl(),
      limits: { requestsPerMinute: 100_000 },
      streamTimes,
      runs: openRunArchive(folder),
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
    expect(server.faults).toEqual([]);
  });

  /** An owner without chats. */
  const newOwner = async (): Promise<{ token: string; id: string }> =>
    issueToken(server.store, { name: 'stream' });
  const create = async (token: string, body: object = {}): Promise<string> => {
    const { json } = await server.ask('POST', '/api/chats', { token, body: { content: 'x', ...body } });
    return json.chat.id;
  };
  const isIdle = ({ event }: Received): boolean => event.type === 'chat' && event.chat.status === 'waiting';
  const names = (received: readonly Received[]): readonly string[] =>
    received.map(({ event }) => {
      if (event.type === 'chat') return `chat ${event.chat.id} ${event.chat.version}`;
      if (event.type === 'receipt') return `receipt ${event.receipt.request_id} ${event.receipt.status}`;
      return event.type;
    });

  it('send chats and receipts of all chats, without their contents and values', async () => {
    const { token } = await newOwner();
    let isStarted = false;
    const work = async (): Promise<void> => {
      const tools = [{ name: 'look', input_schema: {} }];
      const chatId = await create(token, { tools, settings: { secret: 1 }, response_format: FORMAT });
      await settleTurn(server.machine, chatId, 'said', '{"n":1}');
    };
    let working = Promise.resolve();
    let isChatIdle = false;
    let isSealed = false;
    const received = await readOwnerStream(server, {
      token,
      until: (each) => {
        if (each.event.type === 'ready' && !isStarted) {
          isStarted = true;
          working = work();
        }
        isChatIdle ||= isIdle(each);
        isSealed ||= each.event.type === 'receipt' && each.event.receipt.status === 'succeeded';
        return isChatIdle && isSealed;
      },
    });
    await working;
    expect(received[0]?.event).toEqual({ type: 'ready', is_resumed: false });
    expect(names(received)).toEqual([...new Set(names(received))]);
    const text = JSON.stringify(received);
    expect(text).not.toContain('secret');
    expect(text).not.toContain('"n"');
    expect(text).not.toContain('said');
    const sealed = received.findLast(({ event }) => event.type === 'receipt')?.event;
    expect(sealed).toMatchObject({ receipt: { attempts: [{ code: 'ok' }], message_id: 1 } });
  });

  it('resume without a gap: what changed while no stream was open is sent', async () => {
    const { token } = await newOwner();
    const [ready] = await readOwnerStream(server, { token, until: ({ event }) => event.type === 'ready' });
    const first = await create(token);
    const second = await create(token);
    await server.ask('DELETE', `/api/chats/${second}`, { token });
    const gone = ({ event }: Received): boolean => event.type === 'chat_deleted';
    const resumed = await readOwnerStream(server, { token, lastId: ready?.id ?? '', until: gone });
    expect(resumed.map(({ event }) => event)).toMatchObject([
      { type: 'ready', is_resumed: true },
      { type: 'chat', chat: { id: first } },
      { type: 'chat_deleted', chat_id: second },
    ]);
  });

  /** Appends an event to the ledger, as an ensemble does. */
  const append = (runId: string, kind: string, payload: object): Promise<void> =>
    server.store.transaction(async (tx) => {
      const row = { run_id: runId, turn: 0, kind, actor: 'conductor', schema_version: 1 };
      const none = { caused_by: null, model: null, provenance: null };
      const [id, created_at] = [`${runId} ${kind}`, new Date().toISOString()];
      const values = { id, created_at, ...row, ...none, payload: JSON.stringify(payload) };
      await tx.db.insertInto('events').values(values).execute();
      await tx.notify(EVENTS_CHANNEL, runId);
    });
  /** Stores a run of an agent that has just ended. Returns its id. */
  const keep = async (): Promise<string> => {
    const id = keptRunId(new Date(0), randomUUID().slice(0, 8));
    const none = { attempts: [], commits: [], warnings: [], transcript: { chars: 0, omittedChars: 0 } };
    const run = {
      version: 1,
      id,
      agent: 'codex',
      sandbox: 'none',
      prompt: 'p',
      code: 'done',
      ...none,
    } as const;
    const times = { startedAt: new Date(0).toISOString(), durationMs: 1 };
    await writeKeptRun(folder, { run: { ...run, ...times }, transcript: '' });
    return id;
  };

  it('send runs of ensembles and agents with the scope `project` alone, once each', async () => {
    const { token } = await issueToken(server.store, { name: 'all', scopes: ['chats', 'project'] });
    const { token: chats } = await newOwner();
    let kept = '';
    let work: Promise<void> | undefined;
    let isStarted = false;
    const isEnd = ({ event }: Received): boolean =>
      event.type === 'ensemble_run' && event.run.ended_at !== undefined;
    const without = readOwnerStream(server, {
      token: chats,
      until: ({ event }, { length }) => {
        if (event.type === 'ready') work = append('first', 'run.started', { scenario: 'boat' });
        return event.type === 'chat' || length > 9;
      },
    });
    const received = await readOwnerStream(server, {
      token,
      until: (each, all) => {
        const { event } = each;
        if (event.type === 'ensemble_run' && !isEnd(each) && !isStarted) {
          isStarted = true;
          work = append('first', 'run.finished', { reason: 'verdict' })
            .then(async () => void (kept = await keep()))
            .then(async () => void (await create(chats)));
        }
        return all.some(isEnd) && all.some((one) => one.event.type === 'run');
      },
    });
    await work;
    // One read sees the ledger and the files at different times.
    const events = received
      .map(({ event }) => event)
      .toSorted((one, other) => (one.type < other.type ? -1 : 1));
    expect(events).toMatchObject([
      { type: 'ensemble_run', run: { run_id: 'first', scenario: 'boat' } },
      { type: 'ensemble_run', run: { run_id: 'first', reason: 'verdict' } },
      { type: 'ready' },
      { type: 'run', run: { id: kept, status: 'done' } },
    ]);
    expect((await without).map(({ event }) => event.type)).toEqual(['ready', 'chat']);
  });

  it('send a durable run when its state changes, to its owner with the scope `runs` alone', async () => {
    const { token } = await issueToken(server.store, { name: 'a', owner: 'anna', scopes: ['chats', 'runs'] });
    const others = [
      await issueToken(server.store, { name: 'b', owner: 'anna', scopes: ['chats', 'project'] }),
      await issueToken(server.store, { name: 'c', owner: 'ben', scopes: ['chats', 'runs'] }),
    ];
    const machine = createRunMachine({ store: server.store });
    const work = async (): Promise<void> => {
      const request = { repository: 'web', agent: 'claude-code', prompt: 'private words' };
      await machine.createRun({ owner: 'anna', request });
      const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
      assert(held);
      for (const text of ['a', 'b', 'c']) {
        await machine.note(held.fence, { events: [{ type: 'text', text }] });
      }
      await machine.note(held.fence, { note: { phase: 'working' } });
      await machine.endRun(held.fence, { status: 'succeeded', text: 'Done.' });
    };
    let working: Promise<void> | undefined;
    const received = await readOwnerStream(server, {
      token,
      until: (each) => {
        if (each.event.type === 'ready') working = work();
        return each.event.type === 'agent_run' && each.event.run.status === 'succeeded';
      },
    });
    await working;
    const states = received.flatMap(({ event }) =>
      event.type === 'agent_run' ? [`${event.run.status} ${event.run.phase ?? ''}`] : [],
    );
    // Changes that follow each other fast are one event.
    expect(states).toEqual([...new Set(states)]);
    for (const other of others) {
      let creating: Promise<string> | undefined;
      const read = await readOwnerStream(server, {
        token: other.token,
        // The first read sends all that changed. The chat is in a later one.
        until: ({ event }) => {
          if (event.type === 'ready') creating = create(other.token);
          return event.type === 'chat';
        },
      });
      await creating;
      expect(read.map(({ event }) => event.type)).not.toContain('agent_run');
    }
  });

  it('send the durable runs that changed while no stream was open', async () => {
    const owner = 'clara';
    const { token } = await issueToken(server.store, { name: 'a', owner, scopes: ['chats', 'runs'] });
    const [ready] = await readOwnerStream(server, { token, until: ({ event }) => event.type === 'ready' });
    const machine = createRunMachine({ store: server.store });
    const start_after = '2999-01-01T00:00:00.000Z';
    const request = { repository: 'web', agent: 'claude-code', prompt: 'x', start_after };
    const { id } = await machine.createRun({ owner, request });
    const [, sent] = await readOwnerStream(server, {
      token,
      lastId: ready?.id ?? '',
      until: ({ event }) => event.type === 'agent_run',
    });
    expect(sent?.event).toMatchObject({ run: { id, status: 'queued', waits_for: 'start_after' } });
  });

  it('send a run that another process kept, between two polls', async () => {
    const runs = openRunArchive(folder);
    const streamTimes = { pollMs: 600_000, pingMs: 600_000, slowMs: 10_000 };
    const rare = await startServer({ url: await freshUrl(), streamTimes, runs });
    const { token } = await issueToken(rare.store, { name: 'all', scopes: ['chats', 'project'] });
    let kept = '';
    let work: Promise<void> | undefined;
    const received = await readOwnerStream(rare, {
      token,
      until: ({ event }) => {
        if (event.type === 'ready') work = keep().then((id) => void (kept = id));
        return event.type === 'run' && event.run.id === kept;
      },
    });
    await work;
    expect(received.at(-1)?.event).toMatchObject({ type: 'run', run: { id: kept, status: 'done' } });
    await rare.close();
  });

  it('resume with the runs that changed while no stream was open', async () => {
    const { token } = await issueToken(server.store, { name: 'all', scopes: ['chats', 'project'] });
    const [ready] = await readOwnerStream(server, { token, until: ({ event }) => event.type === 'ready' });
    await append('gap', 'run.started', {});
    const kept = await keep();
    const ids = new Set<string>();
    const received = await readOwnerStream(server, {
      token,
      lastId: ready?.id ?? '',
      until: ({ event }) => {
        if (event.type === 'ensemble_run') ids.add(event.run.run_id);
        if (event.type === 'run') ids.add(event.run.id);
        return ids.has('gap') && ids.has(kept);
      },
    });
    expect(received[0]?.event).toEqual({ type: 'ready', is_resumed: true });
  });

  it('ask the client to read its lists again if too many chats changed', async () => {
    const { token } = await newOwner();
    const id = await create(token);
    const row = await server.store.db
      .selectFrom('chats')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 500 }, (_none, index) => ({ ...row, id: `${id}-${index}` }));
    for (let at = 0; at < copies.length; at += 100) {
      await server.store.db
        .insertInto('chats')
        .values(copies.slice(at, at + 100))
        .execute();
    }
    const [ready] = await readOwnerStream(server, { token, lastId: '0', until: () => true });
    expect(ready?.event).toEqual({ type: 'ready', is_resumed: false });
  });

  itInTurns('end for a client that does not read, and continue for the others', async () => {
    const streamTimes = { pollMs: 200, pingMs: 600_000, slowMs: 100 };
    const slowServer = await startServer({ url: await freshUrl(), streamTimes });
    const open = async (): Promise<string> => (await slowServer.ask('GET', '/metrics')).text;
    try {
      await slowServer.ask('POST', '/api/chats', { body: { content: 'x' } });
      const row = await slowServer.store.db.selectFrom('chats').selectAll().executeTakeFirstOrThrow();
      // More than the buffers of the server and of both sockets.
      const title = 'x'.repeat(80_000);
      // Old enough that only a resumed stream sends them.
      const old = { ...row, updated_at: row.updated_at - 3_600_000, title };
      const copies = Array.from({ length: 400 }, (_none, index) => ({ ...old, id: `copy-${index}` }));
      for (let at = 0; at < copies.length; at += 50) {
        await slowServer.store.db
          .insertInto('chats')
          .values(copies.slice(at, at + 50))
          .execute();
      }
      const headers = { authorization: `Bearer ${slowServer.token}`, 'last-event-id': '0' };
      const unread = await fetch(`${slowServer.url}/api/stream`, { headers });
      const isSecond = ({ event }: Received): boolean =>
        event.type === 'chat' && event.chat.title === 'second';
      await readOwnerStream(slowServer, {
        token: slowServer.token,
        until: ({ event }, all) => {
          if (event.type === 'ready') {
            void slowServer.ask('POST', '/api/chats', { body: { content: 'x', title: 'second' } });
          }
          return all.some(isSecond);
        },
      });
      await expect.poll(open, { timeout: 20_000 }).toContain('truecast_streams_open 0');
      await unread.body?.cancel();
      expect(slowServer.faults).toEqual([]);
    } finally {
      await slowServer.close();
    }
  });

  it('send nothing of another owner', async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    let isStarted = false;
    const received = await readOwnerStream(server, {
      token: one.token,
      until: ({ event }) => {
        if (event.type === 'ready' && !isStarted) {
          isStarted = true;
          void create(other.token).then(() => create(one.token, { title: 'mine' }));
        }
        return event.type === 'chat';
      },
    });
    expect(received.map(({ event }) => event)).toMatchObject([
      { type: 'ready' },
      { type: 'chat', chat: { title: 'mine' } },
    ]);
  });

  it('end when the token is revoked', async () => {
    const { token, id } = await newOwner();
    const received = await readOwnerStream(server, {
      token,
      until: () => {
        void revokeToken(server.store, id, 1);
        return false;
      },
    });
    expect(received).toHaveLength(1);
    expect((await server.ask('GET', '/api/stream', { token })).status).toBe(401);
  });

  it('refuse an id that no event has', async () => {
    for (const lastId of ['x', '-1', '1-2', '999999999999999']) {
      const headers = { 'last-event-id': lastId };
      const { status, json } = await server.ask('GET', '/api/stream', { headers });
      expect([lastId, status, json.field]).toEqual([lastId, 400, 'Last-Event-ID']);
    }
  });
});
