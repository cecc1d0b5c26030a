/** Agent runs of a server over HTTP. The test is their worker. */
import { expect } from 'vitest';
import { z } from 'zod';
import { issueToken } from '../../../packages/server/src/tokens/access-token.ts';
import { startServer } from '../../../packages/server/src/http/test-server.ts';
import { SESSION_BLOB } from '../../../packages/server/src/runs/run-blob.ts';
import { createRunMachine, type RunMachine } from '../../../packages/server/src/runs/state/run-machine.ts';
import type { Store } from '../../../packages/store/src/database/store.ts';
import { FORMAT } from './server.ts';

const OFFERS = { repositories: ['web'], agents: ['claude-code'] };
const OWNER = 'anna';
const BODY = { repository: 'web', agent: 'claude-code', prompt: 'Go.' };
const WORKER = { worker: 'w1', offers: OFFERS };

const createdSchema = z.looseObject({
  id: z.string().default(''),
  code: z.string().optional(),
  detail: z.string().optional(),
});
type Created = z.infer<typeof createdSchema>;

interface ServedRuns extends AsyncDisposable {
  readonly store: Store;
  readonly machine: RunMachine;
  /** Requests a run, and returns the status and the body of the answer. */
  create(rest?: object): Promise<{ readonly status: number; readonly json: Created }>;
}

async function startRuns(): Promise<ServedRuns> {
  const server = await startServer({ runOffers: OFFERS });
  const machine = createRunMachine({ store: server.store, isDeadWorker: (name) => name === 'killed' });
  const { token } = await issueToken(server.store, { name: 'runs', owner: OWNER, scopes: ['runs'] });
  return {
    store: server.store,
    machine,
    create: async (rest = {}) => {
      const { status, text } = await server.ask('POST', '/api/runs', { token, body: { ...BODY, ...rest } });
      return { status, json: createdSchema.parse(JSON.parse(text)) };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Expects that a request is refused with this place in its detail, and that there is no run. */
async function expectRefused(rest: object, place: string): Promise<void> {
  await using runs = await startRuns();
  const { status, json } = await runs.create(rest);
  expect([status, json.code]).toEqual([400, 'invalid_body']);
  expect(json.detail).toContain(place);
  expect((await runs.machine.listRuns({ owner: OWNER, limit: 1 })).runs).toEqual([]);
}

export function refuseSchema(schema: object, place: string): Promise<void> {
  const { json_schema: format } = FORMAT;
  return expectRefused({ response_format: { ...FORMAT, json_schema: { ...format, schema } } }, place);
}

export async function refuseUnknownMember(): Promise<void> {
  await expectRefused({ prompts: 'x' }, 'prompts');
  await expectRefused({ limits: { timeout: 1 } }, 'limits');
}

export async function refusePaths(): Promise<void> {
  for (const repository of ['../web', '/etc', 'web/../../x', 'https://git.invalid/x.git']) {
    await expectRefused({ repository }, 'repository');
  }
}

export async function explainRefusals(): Promise<void> {
  await expectRefused({ agent: 'x' }, 'Must be one of claude-code.');
  await expectRefused({ limits: { executions: 0 } }, '/executions');
  await using runs = await startRuns();
  const { json } = await runs.create();
  const cancel = (): Promise<unknown> => runs.machine.requestCancel({ owner: OWNER, runId: json.id });
  await cancel();
  await expect(cancel()).rejects.toThrow(
    'A cancellation is not possible while the run is canceled: its answer is accepted, or it has ended. Read the run and decide again.',
  );
}

export async function continueKilledRun(): Promise<void> {
  await using runs = await startRuns();
  const { machine } = runs;
  await runs.create();
  const killed = await machine.claimNext({ ...WORKER, worker: 'killed' });
  const { runId } = killed!.fence;
  const note = { phase: 'working', sessionId: 's1', baseSha: 'b0', pushedSha: 'p1' } as const;
  await machine.note(killed!.fence, { note });
  const lost = { worker: 'killed', heartbeatAt: undefined };
  const held = await machine.takeOver({ runId, worker: 'w2', lost });
  expect(held?.claimed.earlier).toEqual(note);
  await machine.endRun(held!.fence, { status: 'succeeded', text: 'Second.', commits: ['c1'] });
  const late = machine.endRun(killed!.fence, { status: 'succeeded', text: 'Late.' });
  await expect(late).rejects.toMatchObject({ code: 'superseded' });
  expect(await machine.readRun({ owner: OWNER, runId })).toMatchObject({
    status: 'succeeded',
    baseSha: 'b0',
    executions: 2,
    result: { text: 'Second.', commits: ['c1'] },
  });
}

export async function endUnreadableRun(): Promise<void> {
  await using runs = await startRuns();
  const broken = (await runs.create()).json.id;
  await runs.store.db.updateTable('agent_runs').set({ input: '{' }).where('id', '=', broken).execute();
  const next = (await runs.create({ repository: 'web' })).json.id;
  const held = await runs.machine.claimNext(WORKER);
  const claimed = [held?.claimed.id, (await runs.machine.claimNext(WORKER))?.claimed.id];
  expect(claimed).toContain(next);
  const { runs: listed } = await runs.machine.listRuns({ owner: OWNER, limit: 9, status: 'failed' });
  expect(listed).toMatchObject([{ id: broken, error: { code: 'internal', reason: 'unreadable' } }]);
}

export async function takeTurns(): Promise<void> {
  await using runs = await startRuns();
  const { machine } = runs;
  const request = { ...BODY };
  for (let count = 0; count < 100; count += 1) await machine.createRun({ owner: 'many', request });
  expect((await machine.claimNext(WORKER))?.claimed.owner).toBe('many');
  await machine.createRun({ owner: 'one', request });
  expect((await machine.claimNext(WORKER))?.claimed.owner).toBe('one');
}

export async function boundEventsOfRun(): Promise<void> {
  await using runs = await startRuns();
  const { machine } = runs;
  await runs.create();
  const held = await machine.claimNext(WORKER);
  const { runId } = held!.fence;
  const text = 'x'.repeat(1_000_000);
  for (let count = 0; count < 10; count += 1) {
    await machine.note(held!.fence, { events: [{ type: 'text', text }] });
  }
  await machine.endRun(held!.fence, { status: 'succeeded', text: 'Done.' });
  const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
  const types = events.map(({ data }) => (JSON.parse(data) as { type: string }).type);
  expect(types.filter((type) => type === 'text')).toHaveLength(9);
  expect(types.slice(-3)).toEqual(['warning', 'status', 'receipt']);
}

/** Stores a session of this size with a note. Returns the names of the stored blobs, and the events. */
export async function storeSession(
  size: number,
): Promise<{ readonly names: readonly string[]; readonly events: string }> {
  await using runs = await startRuns();
  const { machine } = runs;
  await runs.create();
  const held = await machine.claimNext(WORKER);
  const { runId } = held!.fence;
  const session = { name: SESSION_BLOB, mediaType: 'application/jsonl', bytes: Buffer.alloc(size, 'x') };
  await machine.note(held!.fence, { note: { phase: 'working', sessionId: 's1', blobs: [session] } });
  const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
  const blobs = await machine.listArtifacts({ owner: OWNER, runId });
  return { names: blobs.map(({ name }) => name), events: events.map(({ data }) => data).join('\n') };
}

export async function passWholeRequest(): Promise<void> {
  await using runs = await startRuns();
  const request = {
    ...BODY,
    model: 'm',
    ref: 'main',
    response_format: FORMAT,
    tag: 'result',
    max_corrections: 1,
    branch: 'fix/42',
    push: 'never',
    limits: { timeout_seconds: 9, idle_timeout_seconds: 8, tokens: 7, usd: 6.5, executions: 2 },
    on_worker_loss: 'restart',
    metadata: { issue: '42' },
    priority: -3,
    start_after: '2026-01-01T00:00:00Z',
    expires_after_seconds: 60,
  };
  expect((await runs.create(request)).status).toBe(201);
  const held = await runs.machine.claimNext(WORKER);
  expect(held?.claimed).toMatchObject({ request, branch: 'fix/42' });
  expect(held?.claimed.request).toEqual(request);
}
