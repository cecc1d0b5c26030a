/** Tests of the takeover of a read-only run from another machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import type { ExecutionRecord } from 'truecast/internal/run/executions/execution-record';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import { findAgent } from 'truecast/internal/agents/registry/agents';
import { bubblewrap } from 'truecast/internal/sandboxes/bubblewrap';
import type { ClaimedRun } from '../../runs/agent-executor.ts';
import { toStateBlob, type StoredWork } from './stored-work.ts';
import { takeOver, type TakenWork } from './take-over.ts';

const RECORD: ExecutionRecord = {
  version: 1,
  id: 'run-1',
  asked: {},
  phase: 'working',
  executions: 1,
  commitsSince: 'a'.repeat(40),
  iterations: [],
};

/** Takes over a run from a machine with a contained agent, and returns the stored record of this one too. */
async function take(
  phase: 'working' | 'answered',
  changes: Partial<StoredWork> = {},
): Promise<{ readonly taken: TakenWork; readonly here: ExecutionRecord | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'take-over-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stateFolder = repositoryStateFolder(folder);
  const place = { place: 'elsewhere', sandbox: 'bubblewrap', isContained: true, earlierBranches: [] };
  const work: StoredWork = { ...place, record: { ...RECORD, phase }, ...changes };
  const agent = findAgent('claude-code')?.make(undefined);
  if (agent === undefined) throw new TypeError('The agent is missing.');
  const claimed: ClaimedRun = {
    id: 'run-1',
    owner: 'anna',
    execution: 2,
    branch: 'truecast/runs/run-1',
    elapsedMs: 0,
    request: { repository: 'web', agent: 'claude-code', prompt: 'Read.', read_only: true },
    earlier: { phase },
  };
  const readBlob = (): Promise<ReturnType<typeof toStateBlob>> => Promise.resolve(toStateBlob(work));
  // No git runs in it.
  const parts = { path: '/missing', commonDir: '/missing/.git', stateFolder, agent, sandbox: bubblewrap() };
  const taken = await takeOver(parts, claimed, { readBlob });
  return { taken, here: openExecutionStore(stateFolder, 'run-1').read() };
}

it('begins the agent again if it can have changed nothing outside', async () => {
  const { taken, here } = await take('working');
  expect(taken).toMatchObject({ type: 'continue', record: undefined, earlierBranches: [] });
  expect(here).toBeUndefined();
  expect((await take('working', { isContained: false })).taken).toMatchObject({ reason: 'no_session' });
  expect((await take('working', { sandbox: 'podman' })).taken).toMatchObject({ reason: 'agent_may_live' });
});

it('keeps an accepted answer, for which no agent begins', async () => {
  const answer = { isTreeChecked: false };
  const { taken, here } = await take('answered', { record: { ...RECORD, phase: 'answered', answer } });
  expect(taken).toMatchObject({ type: 'continue', record: { phase: 'answered', answer } });
  expect(here).toMatchObject({ phase: 'answered', answer });
  expect((await take('answered')).taken).toMatchObject({ type: 'lost', reason: 'no_tree' });
});
