/** Repeated requests, rate limits, and requests during shutdown, over real HTTP. */
import { expect } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { matrixRow } from '../../../../test/matrix.ts';
import { openStore } from '@truecast/store/internal/open-store';
import { createChatMachine, type ChatMachine } from '../state/chat-machine.ts';
import { revokeToken } from '../tokens/token-rows.ts';
import {
  settleTurn,
  callClientTool,
  FORMAT,
  startServer,
  type TestRequest,
  type TestAnswer,
  type TestServer,
} from './test-server.ts';
import type { ListenHttpOptions } from './app/listen-http.ts';
import { readChatStream } from './stream/test-stream.ts';

describeOnBothStores('requests', ({ row, freshUrl }) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  async function withServer(
    work: (server: TestServer) => Promise<void>,
    options: Partial<ListenHttpOptions> = {},
  ): Promise<void> {
    const server = await startServer({ url: await freshUrl(), ...options });
    try {
      await work(server);
      expect(server.faults).toEqual([]);
    } finally {
      await server.close();
    }
  }

  const withKey = (key: string, body: object): TestRequest => ({ body, headers: { 'idempotency-key': key } });

  itInTurns('repeats the first answer for a key, even for concurrent requests', async () => {
    await withServer(async (server) => {
      const create = () =>
        server.ask('POST', '/api/chats', withKey('key-1', { content: 'x', response_format: FORMAT }));
      const answers = await Promise.all([create(), create(), create()]);
      answers.push(await create());
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(answers.at(-1)?.headers.get('idempotency-replayed')).toBe('true');
      expect((await server.ask('GET', '/api/chats')).json.chats).toHaveLength(1);
      const id = answers[0]?.json.chat.id ?? '';
      const send = (key: string, content: string) =>
        server.ask('POST', `/api/chats/${id}/messages`, withKey(key, { content }));
      const sent = await Promise.all([send('key-1', 'y'), send('key-1', 'y'), send('key-2', 'y')]);
      expect(new Set(sent.map(({ text }) => text)).size).toBe(2);
      expect((await server.ask('GET', `/api/chats/${id}/queue`)).json.queued_messages).toHaveLength(2);
      const other = await send('key-1', 'z');
      expect([other.status, other.json.code, other.json.field]).toEqual([
        409,
        'idempotency_mismatch',
        'Idempotency-Key',
      ]);
    });
  });

  itInTurns('answers the slower one of two with one key as the faster one', async () => {
    const store = await openStore({ url: await freshUrl() });
    const machine = createChatMachine({ store });
    let lookups = 0;
    // The other request commits after this one looked for a stored response, and before its change.
    const late: ChatMachine = {
      ...machine,
      readStoredResponse: async (key) => {
        lookups += 1;
        return lookups === 2 ? undefined : machine.readStoredResponse(key);
      },
    };
    await withServer(
      async (server) => {
        const create = () => server.ask('POST', '/api/chats', withKey('k', { content: 'x' }));
        const first = await create();
        const second = await create();
        expect([second.status, second.text]).toEqual([201, first.text]);
        expect(lookups).toBe(3);
        expect((await server.ask('GET', '/api/chats')).json.chats).toHaveLength(1);
      },
      { store, machine: late },
    );
  });

  itInTurns('repeats the first answer for a key, even if the chat would now refuse the request', async () => {
    await withServer(async (server) => {
      const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
      const path = `/api/chats/${json.chat.id}`;
      const send = (key: string) =>
        server.ask('POST', `${path}/messages`, withKey(key, { content: 'y', response_format: FORMAT }));
      const first = await send('a');
      await settleTurn(server.machine, json.chat.id, 'done');
      await settleTurn(server.machine, json.chat.id, 'done', '{"n":1}');
      expect((await server.ask('PATCH', path, { body: { plan_mode: true } })).status).toBe(200);
      const again = await send('a');
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect((await send('b')).status).toBe(400);
      await server.ask('DELETE', path);
      expect((await send('a')).json).toMatchObject({ status: 404, code: 'chat_not_found' });
    });
  });

  itInTurns(
    'answers the slower one of two as the faster one, even if the chat changed in between',
    async () => {
      const store = await openStore({ url: await freshUrl() });
      const machine = createChatMachine({ store });
      let beforeRead = (): Promise<unknown> => Promise.resolve();
      const late: ChatMachine = {
        ...machine,
        readChat: (chat) => beforeRead().then(() => machine.readChat(chat)),
      };
      await withServer(
        async (server) => {
          const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
          const path = `/api/chats/${json.chat.id}`;
          const send = () =>
            server.ask('POST', `${path}/messages`, withKey('k', { content: 'y', response_format: FORMAT }));
          let first = '';
          beforeRead = async () => {
            beforeRead = () => Promise.resolve();
            first = (await send()).text;
            await server.ask('DELETE', `${path}/queue/1`);
            await server.ask('PATCH', path, { body: { plan_mode: true } });
          };
          const second = await send();
          expect([second.status, second.text]).toEqual([200, first]);
          expect((await server.ask('GET', `${path}/queue`)).json.queued_messages).toEqual([]);
        },
        { store, machine: late },
      );
    },
  );

  itInTurns('repeats the answer to tool results after the chat has continued', async () => {
    await withServer(async (server) => {
      const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
      await callClientTool(server.machine, json.chat.id);
      const submit = (key: string) =>
        server.ask(
          'POST',
          `/api/chats/${json.chat.id}/tool_results`,
          withKey(key, { results: [{ tool_call_id: 'call-1', output: 1 }] }),
        );
      const answers = await Promise.all([submit('a'), submit('a')]);
      await settleTurn(server.machine, json.chat.id, 'done');
      answers.push(await submit('a'));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect((await submit('b')).status).toBe(409);
    });
  });

  itInTurns('separates the keys of owners, and rejects an invalid key', async () => {
    await withServer(async (server) => {
      const asked = withKey('same', { content: 'x' });
      const mine = await server.ask('POST', '/api/chats', asked);
      const others = await server.ask('POST', '/api/chats', { ...asked, token: server.otherToken });
      expect(others.json.chat.id).not.toBe(mine.json.chat.id);
      for (const key of [' ', 'a b', 'x'.repeat(256)]) {
        const { status, json } = await server.ask('POST', '/api/chats', withKey(key, { content: 'x' }));
        expect([status, json.field]).toEqual([400, 'Idempotency-Key']);
      }
    });
  });

  itInTurns('limits the request rate and the open requests of a token', async () => {
    await withServer(
      async (server) => {
        const { json } = await server.ask('POST', '/api/chats', {
          body: { content: 'x', response_format: FORMAT },
        });
        const path = `/api/chats/${json.chat.id}/requests/${json.request_id}`;
        // A request that reached the limit was rejected, and retries.
        const wait = async (): Promise<TestAnswer> => {
          const answer = await server.ask('GET', `${path}?wait=20`);
          return answer.json.code === 'too_many_open' ? wait() : answer;
        };
        const waiting = [wait(), wait()];
        await expect
          .poll(async () => (await server.ask('GET', path)).json.code, { timeout: 10_000, interval: 500 })
          .toBe('too_many_open');
        await settleTurn(server.machine, json.chat.id, 'x', '{"n":1}');
        expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
        let refused = await server.ask('GET', path);
        for (let count = 0; refused.status === 200 && count < 100; count += 1) {
          refused = await server.ask('GET', path);
        }
        expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited']);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await server.ask('GET', '/api/chats', { token: server.otherToken })).status).toBe(200);
      },
      { limits: { requestsPerMinute: 60, concurrentRequests: 2 } },
    );
  });

  itInTurns('limits open streams, and admits another once one has ended', async () => {
    await withServer(
      async (server) => {
        const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
        const path = `/api/chats/${json.chat.id}/stream`;
        // Refused requests are not open.
        expect((await server.ask('GET', '/api/chats/none/stream')).status).toBe(404);
        expect((await server.ask('GET', path, { headers: { 'last-event-id': 'x' } })).status).toBe(400);
        let opened: () => void = () => undefined;
        const isOpen = new Promise<void>((resolve) => {
          opened = resolve;
        });
        const reading = readChatStream(server, json.chat.id, {
          onOpen: () => opened(),
          until: ({ event }) => event.type === 'status' && event.status === 'waiting',
        });
        await isOpen;
        expect((await server.ask('GET', path)).json.code).toBe('too_many_open');
        await settleTurn(server.machine, json.chat.id, 'x');
        await reading;
        await expect
          .poll(async () => (await server.ask('GET', '/metrics')).text, { timeout: 10_000 })
          .toContain('truecast_streams_open 0');
        await readChatStream(server, json.chat.id, { until: ({ event }) => event.type === 'status' });
      },
      { limits: { openStreams: 1 } },
    );
  });

  itInTurns('ends a stream whose token is revoked', async () => {
    await withServer(
      async (server) => {
        const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
        const row = await server.store.db
          .selectFrom('access_tokens')
          .select('id')
          .where('name', '=', 'one')
          .executeTakeFirstOrThrow();
        await readChatStream(server, json.chat.id, {
          until: () => {
            void revokeToken(server.store, row.id, 1);
            return false;
          },
        });
        expect((await server.ask('GET', '/api/chats')).status).toBe(401);
      },
      { streamTimes: { pingMs: 50 } },
    );
  });

  itInTurns('disconnects a client that does not read, and continues with the others', async () => {
    await withServer(
      async (server) => {
        const settings = { content: 'x'.repeat(200_000) };
        const { json } = await server.ask('POST', '/api/chats', { body: settings });
        const { id } = json.chat;
        for (let count = 0; count < 20; count += 1) {
          await settleTurn(server.machine, id, 'y'.repeat(2_000_000)).catch(() => undefined);
          await server.ask('POST', `/api/chats/${id}/messages`, { body: { content: 'more' } });
        }
        const response = await fetch(`${server.url}/api/chats/${id}/stream`, {
          headers: { authorization: `Bearer ${server.token}` },
        });
        await expect
          .poll(async () => (await server.ask('GET', '/metrics')).text, { timeout: 20_000 })
          .toContain('truecast_streams_open 0');
        await response.body?.cancel();
      },
      { streamTimes: { slowMs: 100, pingMs: 600_000 } },
    );
  });

  itInTurns('closes after streams end, waits are answered, and running requests finish', async () => {
    const store = await openStore({ url: await freshUrl() });
    const server = await startServer({ store });
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'x', response_format: FORMAT },
    });
    const path = `/api/chats/${json.chat.id}/requests/${json.request_id}`;
    let opened: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const reading = readChatStream(server, json.chat.id, {
      until: () => {
        opened();
        return false;
      },
    });
    const waiting = server.ask('GET', `${path}?wait=60`);
    await isOpen;
    await server.ask('GET', path);
    await server.close();
    expect((await waiting).json).toMatchObject({ status: 'running' });
    expect((await reading).length).toBeGreaterThan(0);
    await expect(server.ask('GET', '/healthz')).rejects.toThrow('fetch failed');
  });

  itInTurns('returns a receipt after a restart', async () => {
    const { mkdtemp, rm } = await import('node:fs/promises');
    const folder = await mkdtemp('/tmp/truecast-http-');
    try {
      const first = await startServer({ store: await openStore({ url: `${folder}/a.sqlite` }) });
      const { json } = await first.ask('POST', '/api/chats', {
        body: { content: 'x', response_format: FORMAT },
      });
      await first.close();
      const store = await openStore({ url: `${folder}/a.sqlite` });
      const second = await startServer({ store, machine: createChatMachine({ store }) });
      const ask = second.ask('GET', `/api/chats/${json.chat.id}/requests/${json.request_id}?wait=30`, {
        token: first.token,
      });
      await settleTurn(second.machine, json.chat.id, 'x', '{"n":3}');
      expect((await ask).json).toMatchObject({ status: 'succeeded', value: { n: 3 } });
      await second.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
