/** Quality report over HTTP, and over 5,000 requests. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { stateHome } from '@truecast/host/internal/state-home';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { appendOutcome, outcomeLogPath } from 'truecast/internal/run/logging/outcome-log';
import { openRunArchive } from '../serve/kept-runs/run-archive.ts';
import { issueToken } from '../tokens/access-token.ts';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { readAnswers } from '../quality/quality-rows.ts';
import { readQuality } from '../quality/read-quality.ts';
import { settleTurn, FORMAT, startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the quality report', ({ freshUrl }) => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = join(stateHome(), `quality-${randomUUID()}`);
    server = await startServer({ url: await freshUrl(), runs: openRunArchive(folder) });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const report = async (query = ''): Promise<QualityView> =>
    JSON.parse((await server.ask('GET', `/api/quality${query}`)).text) as QualityView;

  it('is of the ended requests of its owner, without those of deleted chats', async () => {
    const none = await report();
    expect(none).toMatchObject({ totals: { answers: 0 }, rows: [], fields: [], is_complete: true });
    expect(none).toMatchObject({ bucket: 'day', by: 'model', sources: ['chats'] });
    const ids: string[] = [];
    for (const content of ['one', 'two', 'open']) {
      const { json } = await server.ask('POST', '/api/chats', { body: { content, response_format: FORMAT } });
      ids.push(json.chat.id);
      if (content !== 'open') await settleTurn(server.machine, json.chat.id, 'done', '{"n":1}');
    }
    expect((await report('?by=name')).rows).toMatchObject([
      { key: 'answer', answers: 2, first_try_share: 1 },
    ]);
    expect((await report('?name=other')).totals.answers).toBe(0);
    expect((await report('?until=2020-01-01T00:00:00Z')).totals.answers).toBe(0);
    const other = await server.ask('GET', '/api/quality', { token: server.otherToken });
    expect((JSON.parse(other.text) as QualityView).totals.answers).toBe(0);
    await server.ask('DELETE', `/api/chats/${ids[0]}`);
    expect((await report()).totals.answers).toBe(1);
    const wrong = await server.ask(
      'GET',
      '/api/quality?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
    );
    expect([wrong.status, wrong.json.field]).toEqual([400, 'since']);
  });

  it('is of runs and ensembles too for a token with the scope `project`', async () => {
    const { token } = await issueToken(server.store, { name: 'all', scopes: ['chats', 'project'] });
    const time = new Date();
    const log = outcomeLogPath(folder);
    const outcome = { time, issuePaths: [], agent: 'codex', model: 'm', tag: 'result', mode: 'tag' };
    const tries = [['ok'], ['schema', 'ok'], ['schema', 'schema'], []];
    for (const codes of tries) {
      const code = codes.at(-1) ?? 'aborted';
      await appendOutcome(log, { ...outcome, code, attempts: codes.length, attemptCodes: codes });
    }
    const old = new Date(time.getTime() - 30 * 86_400_000);
    await appendOutcome(log, { ...outcome, time: old, code: 'ok', attempts: 1 });
    const whole = { path: 'validated', rung: 'validated', attempts: 1 };
    const answers = [
      ['agent.spoke', 'ada', {}, whole],
      ['agent.spoke', 'ada', {}, { ...whole, attempts: 2 }],
      ['agent.skipped', 'conductor', { agent: 'ada' }, { path: 'prompted', rung: 'raw', attempts: 0 }],
      ['run.started', 'conductor', {}, undefined],
    ] as const;
    for (const [index, [kind, actor, payload, provenance]] of answers.entries()) {
      const row = { id: `q${index}`, run_id: 'q', turn: 0, kind, actor, schema_version: 1, caused_by: null };
      const written = provenance === undefined ? null : JSON.stringify(provenance);
      const rest = { model: 'tiny', provenance: written, created_at: time.toISOString() };
      await server.store.db
        .insertInto('events')
        .values({ ...row, ...rest, payload: JSON.stringify(payload) })
        .execute();
    }
    const ask = async (query: string): Promise<QualityView> =>
      JSON.parse((await server.ask('GET', `/api/quality${query}`, { token })).text) as QualityView;
    const all = await ask('?by=source');
    expect(all).toMatchObject({ sources: ['chats', 'runs', 'ensembles'], is_complete: true });
    expect(all.rows).toMatchObject([
      { key: 'ensembles', answers: 3, first_try: 1, valid: 2, attempts: 4 },
      { key: 'runs', answers: 3, first_try: 1, valid: 2, attempts: 5, unanswered: 1 },
    ]);
    const ensembles = await ask('?source=ensembles&by=agent');
    expect(ensembles.rows).toMatchObject([{ key: 'ada', answers: 3 }]);
    expect((await ask('?agent=codex&by=mode')).rows).toMatchObject([{ key: 'tag', answers: 3 }]);
    expect((await ask('?name=agent.spoke')).totals.answers).toBe(2);
    const refused = await server.ask('GET', '/api/quality?source=runs');
    expect([refused.status, refused.json.detail]).toEqual([404, expect.stringContaining('--scope project')]);
  });

  it('reads 2,000 requests in pages, and stops at its limit', async () => {
    const { store } = server;
    const { db } = store;
    const chat = await db.selectFrom('chats').selectAll().limit(1).executeTakeFirstOrThrow();
    const request = await db.selectFrom('chat_requests').selectAll().limit(1).executeTakeFirstOrThrow();
    const failed = [{ code: 'invalid', issues: [{ path: '/n', rule: 'Expected integer' }] }, { code: 'ok' }];
    const rows = Array.from({ length: 2_000 }, (_each, index) => ({
      ...request,
      id: `many-${index}`,
      chat_id: chat.id,
      owner: 'many',
      status: 'succeeded',
      model: `model-${index % 3}`,
      value_text: '1',
      erased: 0 as const,
      attempts: JSON.stringify(index % 10 === 0 ? failed : [{ code: 'ok' }]),
      created_at: 1_000 + Math.floor(index / 2),
      started_at: 1_000,
      ended_at: 10_000,
    }));
    for (const chunk of rowChunks(rows)) await db.insertInto('chat_requests').values(chunk).execute();
    const filter = { owner: 'many', since: 0, until: 1_000_000 };
    const sizes: number[] = [];
    for await (const page of readAnswers(db, filter, 20_000)) sizes.push(page.length);
    expect(sizes).toEqual(Array.from({ length: 4 }, () => 500));
    const all = await readQuality({ store, now: () => 0 }, { ...filter, by: 'model', sources: ['chats'] });
    expect(all).toMatchObject({
      is_complete: true,
      totals: { answers: 2_000, first_try: 1_800, valid: 2_000 },
    });
    expect(all.fields.reduce((sum, field) => sum + field.failed, 0)).toBe(200);
    expect(all.rows).toHaveLength(3);
    const some = await readQuality(
      { store, now: () => 0 },
      { ...filter, by: 'model', sources: ['chats'], maxRows: 1_000 },
    );
    expect(some).toMatchObject({ is_complete: false, totals: { answers: 1_000 } });
  });
});
