/**
 * Sessions of agents near the limit of a stored blob: the file of one machine, its parts in the database, and the file
 * that another machine gets.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import { MAX_BLOB_BYTES, SESSION_BLOB } from '../../packages/server/src/runs/run-blob.ts';
import { OFFERS, RUN_OWNER, runRequest, testRuns } from '../../packages/server/src/runs/state/test-runs.ts';
import { placeOf, toSessionBlob, toStateBlob } from '../../packages/server/src/serve/runs/stored-work.ts';
import { takeOver } from '../../packages/server/src/serve/runs/take-over.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { findAgent } from '../../packages/truecast/src/agents/registry/agents.ts';
import { claudeHostSessionPath } from '../../packages/truecast/src/agents/claude-code/claude-session-path.ts';
import type { ExecutionRecord } from '../../packages/truecast/src/run/executions/execution-record.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { CLAUDE_SESSION as SESSION } from '../fake-claude.ts';
import { itWhole, matrixRow } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const PART_BYTES = 1024 * 1024;

/** A session of exactly this size, in lines of JSON whose characters cross the parts at any byte. */
function sessionOf(bytes: number): Buffer {
  const first = Buffer.from(`{"type":"user","cwd":"/work","sessionId":"${SESSION}"}\n`);
  const line = Buffer.from(`{"type":"assistant","text":"${'é€😀'.repeat(100)}"}\n`);
  // In one piece of memory: each copy of it takes as long as a test of another suite.
  const session = Buffer.allocUnsafe(bytes);
  first.copy(session);
  session.fill(line, first.length);
  // The last line is cut at a character, and filled up.
  return session.fill(' ', session.lastIndexOf('\n') + 1);
}

/** Moves the process to a machine without sessions. */
function openHome(): void {
  vi.stubEnv('CLAUDE_CONFIG_DIR', temporaryFolder());
}

function writeSession(cwd: string, session: Buffer): string {
  const path = claudeHostSessionPath(cwd, SESSION);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, session);
  return path;
}

/** A running run of a worker, with checkpoints of the session as its file is. */
async function openRun(store: Store) {
  const machine = testRuns(store);
  const agent = findAgent('claude-code')?.make(undefined);
  assert(agent);
  const cwd = makeRepository();
  const base = git(cwd, 'rev-parse', 'HEAD');
  const { id: runId, branch } = await machine.createRun({ owner: RUN_OWNER, request: runRequest() });
  await machine.beat('w1');
  const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
  assert(held);
  const record: ExecutionRecord = {
    version: 1,
    id: runId,
    asked: {},
    phase: 'working',
    executions: 1,
    iterations: [],
    commitsSince: base,
    sessionId: SESSION,
    branch,
  };
  const work = { sandbox: 'bubblewrap', isContained: true, earlierBranches: [], record };
  const readBlob = (name: string) => machine.readBlob({ owner: RUN_OWNER, runId, name });
  return {
    cwd,
    readBlob,
    async checkpoint(): Promise<void> {
      const session = await toSessionBlob(agent, SESSION);
      assert(session);
      const blobs = [toStateBlob({ place: placeOf('/first'), ...work }), session];
      await machine.note(held.fence, {
        note: { phase: 'working', sessionId: SESSION, baseSha: base, blobs },
      });
    },
    async parts(): Promise<readonly number[]> {
      // Counted by the database: the parts themselves are read once, when the run is taken over.
      const length = sql<number>`length(bytes)`.as('length');
      const query = store.db.selectFrom('agent_run_blobs').select(length).where('run_id', '=', runId);
      const rows = await query.where('name', '=', SESSION_BLOB).orderBy('part').execute();
      return rows.map((row) => row.length);
    },
    async warnings(): Promise<readonly string[]> {
      const events = await machine.listRunEvents({ runId, after: 0, limit: 100 });
      return events.flatMap(({ data }) => (data.includes('"warning"') ? [data] : []));
    },
    /** Takes the run over on this machine. Returns the session that it has then. */
    async takeOver(): Promise<Buffer> {
      const clone = join(temporaryFolder(), 'clone');
      git(cwd, 'clone', '-q', cwd, clone);
      const commonDir = join(clone, '.git');
      const parts = { path: clone, commonDir, stateFolder: repositoryStateFolder(commonDir), agent };
      const earlier = { phase: 'working', baseSha: base, sessionId: SESSION } as const;
      const claimed = { ...held.claimed, execution: 2, earlier };
      const taken = await takeOver({ ...parts, sandbox: bubblewrap() }, claimed, { readBlob });
      expect(taken).toMatchObject({ type: 'continue', branch, record: { sessionId: SESSION } });
      const { path } = (await agent.sessionStorage?.findByIdOnHost(SESSION)) ?? {};
      return readFileSync(path ?? '');
    },
  };
}

describeOnBothStores('a session near the limit', (open, row) => {
  const itInTurns = matrixRow(row, { rows: 2 });

  itInTurns('one byte above it is refused with the reason, and the last stored one remains', async () => {
    const [small, large] = [sessionOf(3 * PART_BYTES), sessionOf(MAX_BLOB_BYTES + 1)];
    openHome();
    const run = await openRun(open());
    const path = writeSession(run.cwd, small);
    await run.checkpoint();
    writeSession(run.cwd, large);
    await run.checkpoint();
    expect(readFileSync(path).equals(large)).toBe(true);
    const reason = `\`session\` has ${large.length} bytes and was not stored: the limit is ${MAX_BLOB_BYTES}.`;
    expect(await run.warnings()).toEqual([expect.stringContaining(reason)]);
    expect(await run.parts()).toEqual([PART_BYTES, PART_BYTES, PART_BYTES]);
    openHome();
    expect((await run.takeOver()).equals(small)).toBe(true);
  });

  const restore = async (size: number): Promise<void> => {
    const session = sessionOf(size);
    expect(session).toHaveLength(size);
    openHome();
    const run = await openRun(open());
    writeSession(run.cwd, session);
    await run.checkpoint();
    const parts = await run.parts();
    expect(parts).toHaveLength(Math.ceil(size / PART_BYTES));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(size);
    expect(await run.warnings()).toEqual([]);
    openHome();
    expect((await run.takeOver()).equals(session)).toBe(true);
  };

  itInTurns('as large as it is stored in parts, and restored byte for byte on another machine', () =>
    restore(MAX_BLOB_BYTES),
  );

  itWhole('one byte below it is stored in parts, and restored byte for byte on another machine', () =>
    restore(MAX_BLOB_BYTES - 1),
  );
});
