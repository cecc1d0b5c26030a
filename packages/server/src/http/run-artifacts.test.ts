/** Routes of artifacts over real HTTP, with a worker that the test plays. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { ARTIFACT_TYPES } from '../runs/run-blob.ts';
import { createRunMachine, type RunMachine } from '../runs/state/run-machine.ts';
import type { RunFence } from '../runs/state/run-update.ts';
import { OFFERS } from '../runs/state/test-runs.ts';
import { issueToken } from '../tokens/access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

const BODY = { repository: 'web', agent: 'claude-code', prompt: 'Fix it.' };
/** Not UTF-8: files of a patch have any encoding. */
const PATCH = Buffer.from('diff --git a/x b/x\n+caf\u00E9\n', 'latin1');

describeOnBothStores('artifacts over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let machine: RunMachine;
  let token = '';
  let foreign = '';
  let runId = '';
  let fence: RunFence;

  beforeAll(async () => {
    server = await startServer({ url: await freshUrl(), runOffers: OFFERS });
    machine = createRunMachine({ store: server.store });
    ({ token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] }));
    ({ token: foreign } = await issueToken(server.store, { name: 'runs', owner: 'ben', scopes: ['runs'] }));
    const { json } = await server.ask('POST', '/api/runs', { token, body: BODY });
    runId = json.id;
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    expect(held?.claimed.id).toBe(runId);
    fence = held!.fence;
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  const store = (...blobs: [name: string, bytes: Uint8Array, omittedBytes?: number][]): Promise<void> =>
    machine.note(fence, {
      note: {
        blobs: blobs.map(([name, bytes, omittedBytes = 0]) => ({
          name,
          mediaType: name in ARTIFACT_TYPES ? ARTIFACT_TYPES[name as 'log'] : 'application/json',
          bytes,
          omittedBytes,
        })),
      },
    });
  const list = async (): Promise<string> => {
    const { status, text } = await server.ask('GET', `/api/runs/${runId}/artifacts`, { token });
    expect(status).toBe(200);
    return text;
  };

  it('lists artifacts by name, with their sizes and what was left out, and no blob of the workers', async () => {
    expect(await list()).toBe('{"artifacts":[]}');
    await store(['session', Buffer.from('{}\n')], ['log', Buffer.from('Hi.\n'), 9]);
    await store(['changes.patch', PATCH], ['.state', Buffer.from('{"place":"1"}')]);
    const artifacts = [
      { name: 'changes.patch', media_type: 'text/x-diff', size: PATCH.length },
      { name: 'log', media_type: 'text/plain', size: 4, omitted_bytes: 9 },
      { name: 'session', media_type: 'application/jsonl', size: 3 },
    ];
    expect(JSON.parse(await list())).toEqual({ artifacts });
    const run = await server.ask('GET', `/api/runs/${runId}`, { token });
    expect(run.json).toMatchObject({ id: runId, artifacts });
    const page = await server.ask('GET', '/api/runs', { token });
    expect(page.text).toContain(`"id":"${runId}"`);
    expect(page.text).not.toContain('artifacts');
  });

  it('returns the bytes of an artifact as an attachment', async () => {
    const response = await fetch(`${server.url}/api/runs/${runId}/artifacts/changes.patch`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(PATCH)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/x-diff',
      'content-length': String(PATCH.length),
      'content-disposition': `attachment; filename="${runId}.changes.patch"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const log = await server.ask('GET', `/api/runs/${runId}/artifacts/log`, { token });
    expect([log.text, log.headers.get('content-type')]).toEqual(['Hi.\n', 'text/plain; charset=utf-8']);
  });

  it.each(['.state', '%2Estate', 'uncommitted.patch', 'x', '..%2Fartifacts'])(
    'has no artifact `%s`',
    async (name) => {
      const { status, json } = await server.ask('GET', `/api/runs/${runId}/artifacts/${name}`, { token });
      expect([status, json.code]).toEqual([404, 'not_found']);
      expect(JSON.stringify(json)).toContain('The run has no artifact of this name.');
    },
  );

  it.each(['', '/log', '/.state'])('another owner gets 404 at `artifacts%s`, as for no run', async (path) => {
    const asked = [runId, 'none'].map((id) =>
      server.ask('GET', `/api/runs/${id}/artifacts${path}`, { token: foreign }),
    );
    const [other, none] = await Promise.all(asked);
    expect(other?.status).toBe(404);
    expect([none?.status, none?.json.detail]).toEqual([other?.status, other?.json.detail]);
  });

  it('are removed with the events when the run is deleted, and its stream has the receipt', async () => {
    const path = `/api/runs/${runId}`;
    const early = await server.ask('DELETE', path, { token });
    expect([early.status, early.json.code]).toEqual([409, 'not_allowed']);
    expect(JSON.stringify(early.json)).toContain('A deletion is not possible while the run is running: ');
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    expect((await server.ask('DELETE', path, { token: foreign })).status).toBe(404);
    expect(await list()).toContain('"changes.patch"');
    expect((await server.ask('DELETE', path, { token })).status).toBe(204);
    expect((await server.ask('DELETE', path, { token })).status).toBe(204);
    expect(await list()).toBe('{"artifacts":[]}');
    expect((await server.ask('GET', `${path}/artifacts/log`, { token })).status).toBe(404);
    const { json } = await server.ask('GET', path, { token });
    expect(json).toMatchObject({
      artifacts: [],
      cleared_at: expect.any(String) as string,
      receipt: { status: 'succeeded', text: 'Done.' },
    });
    const stream = await fetch(`${server.url}${path}/stream`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await stream.text()).match(/^event: .*$/gmu)).toEqual(['event: receipt']);
  });
});
