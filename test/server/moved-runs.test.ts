/**
 * Tests of agent runs that continue on another machine: a second clone, a second state folder and a second store
 * of sessions. The first machine is lost in the middle, and only what it stored before is known.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { AgentExecutor, ClaimedRun, RunNote } from '../../packages/server/src/runs/agent-executor.ts';
import type { RunBlob } from '../../packages/server/src/runs/run-blob.ts';
import type { NewRunEvent } from '../../packages/server/src/runs/run-event.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { writeFakeClaude } from '../fake-claude.ts';
import { itWhole } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { CLAUDE } from './run-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const BRANCH = 'truecast/runs/run-1';
const { begin, commit, session, storeSession, say, answer } = CLAUDE;
const WAIT = `${say('I wait.')}; sleep 600`;
/** The prompt is a file of the last commit. */
const KEEP_PROMPT = 'echo "$prompt" > prompt.txt; git add prompt.txt; git commit -q -m prompt >&2';

/** Shell lines of the agent on each machine. */
type Scripts = readonly [first: readonly string[], second: readonly string[]];

interface World {
  readonly clones: readonly [first: string, second: string];
  readonly folder: string;
  readonly scripts: Scripts;
}

function makeWorld(...scripts: Scripts): World {
  const folder = temporaryFolder();
  const first = makeRepository();
  const second = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', first, second]);
  return { clones: [first, second], folder, scripts };
}

/** The executor of a machine. Its agents' sessions have a separate store. */
async function openMachine({ clones, folder, scripts }: World, at: 0 | 1): Promise<AgentExecutor> {
  const home = join(folder, `home-${at}`);
  mkdirSync(home);
  vi.stubEnv('PATH', writeFakeClaude(home, scripts[at].join('\n')));
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'));
  const executor = await openExecutor({
    repositories: { web: { path: clones[at] } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
  });
  return executor as AgentExecutor;
}

function claim(changes: Partial<ClaimedRun> = {}): ClaimedRun {
  const schema = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] };
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const;
  const request = { repository: 'web', agent: 'claude-code', prompt: 'Count.', response_format };
  const fixed = { id: 'run-1', owner: 'anna', execution: 1, branch: BRANCH, elapsedMs: 0 };
  return { ...fixed, request, ...changes };
}

/** The row of the run, as far as a worker stores and reads it. */
function makeRow() {
  const blobs = new Map<string, RunBlob>();
  let row: RunNote = {};
  const stop = new AbortController();
  let isLost = false;
  return {
    stop,
    /** The machine stores nothing any more. */
    lose() {
      isLost = true;
      stop.abort('superseded');
    },
    isStored: (name: string): boolean => blobs.has(name),
    next: (): ClaimedRun => {
      const { phase = 'preparing', baseSha, headSha, sessionId } = row;
      const known = {
        ...(baseSha !== undefined && { baseSha }),
        ...(headSha !== undefined && { headSha }),
        ...(sessionId !== undefined && { sessionId }),
      };
      return claim({ execution: 2, earlier: { phase, ...known } });
    },
    reportOf: (onEvent: (event: NewRunEvent) => void = () => undefined, signal = stop.signal) => ({
      signal,
      async note({ blobs: added = [], ...note }: RunNote): Promise<void> {
        if (isLost) return;
        row = { ...row, ...note };
        for (const blob of added) blobs.set(blob.name, blob);
      },
      readBlob: (name: string) => Promise.resolve(blobs.get(name)),
      event: onEvent,
    }),
  };
}

type Row = ReturnType<typeof makeRow>;

/** Executes the run on the first machine until its agent waits, and loses the machine. */
async function lose(
  world: World,
  onWait: (row: Row) => Promise<void> = () => Promise.resolve(),
): Promise<Row> {
  const row = makeRow();
  const executor = await openMachine(world, 0);
  const onEvent = (event: NewRunEvent): void => {
    if (event.type === 'text' && event.text.includes('I wait.')) void onWait(row).finally(() => row.lose());
  };
  await executor.execute(claim(), row.reportOf(onEvent));
  return row;
}

const alive = (): AbortSignal => new AbortController().signal;
const subjects = (cwd: string, branch = BRANCH): readonly string[] =>
  git(cwd, 'log', '--reverse', '--format=%s', branch).split('\n').slice(1);

describeInBubblewrap('a run whose machine is lost', () => {
  it('continues in the session of its last minute, and the agent hears what is missing', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const world = makeWorld(
      [begin, session, storeSession, commit('half'), WAIT],
      [begin, session, KEEP_PROMPT, answer(42)],
    );
    const row = await lose(world, async ({ isStored }) => {
      await vi.advanceTimersByTimeAsync(60_000);
      await vi.waitFor(() => expect(isStored('session')).toBe(true), { timeout: 30_000, interval: 50 });
    });
    vi.useRealTimers();
    const second = await openMachine(world, 1);
    const ending = await second.execute(row.next(), row.reportOf(undefined, alive()));
    expect(ending).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}', branch: BRANCH });
    expect(subjects(world.clones[1])).toEqual(['start again', 'prompt']);
    const prompt = git(world.clones[1], 'show', `${BRANCH}:prompt.txt`);
    expect(prompt).toContain('Your machine was lost, and this worktree is on another one.');
    expect(prompt).not.toContain('Count.');
  });

  it('starts again on another branch without a session, if its agent was contained', async () => {
    const world = makeWorld([begin, commit('half'), WAIT], [begin, KEEP_PROMPT, answer(42)]);
    const row = await lose(world);
    const second = await openMachine(world, 1);
    const ending = await second.execute(row.next(), row.reportOf(undefined, alive()));
    expect(ending).toMatchObject({
      status: 'succeeded',
      branch: `${BRANCH}-2`,
      earlierBranches: [BRANCH],
    });
    expect(subjects(world.clones[1], `${BRANCH}-2`)).toEqual(['start', 'prompt']);
    expect(git(world.clones[1], 'show', `${BRANCH}-2:prompt.txt`)).toContain('Count.');
  });

  it('with an accepted answer and no commits ends without an agent', async () => {
    const world = makeWorld(['cat > /dev/null', session, answer(42)], ['exit 1']);
    const row = makeRow();
    const first = await openMachine(world, 0);
    const report = row.reportOf();
    const note = async (each: RunNote): Promise<void> => {
      await report.note(each);
      if (each.phase === 'answered') row.lose();
    };
    await first.execute(claim(), { ...report, note });
    const second = await openMachine(world, 1);
    const next = row.next();
    expect(next.earlier?.phase).toBe('answered');
    await expect(second.execute(next, row.reportOf(undefined, alive()))).resolves.toMatchObject({
      status: 'succeeded',
      valueText: '{"answer":42}',
      commits: [],
    });
  });

  itWhole('with an accepted answer and commits that only it had ends as lost, with the answer', async () => {
    const world = makeWorld([begin, session, answer(42)], ['exit 1']);
    const row = makeRow();
    const first = await openMachine(world, 0);
    const report = row.reportOf();
    const note = async (each: RunNote): Promise<void> => {
      await report.note(each);
      if (each.phase === 'answered') row.lose();
    };
    await first.execute(claim(), { ...report, note });
    const second = await openMachine(world, 1);
    const next = row.next();
    await expect(second.execute(next, row.reportOf(undefined, alive()))).resolves.toEqual({
      status: 'lost',
      reason: 'no_tree',
      baseSha: next.earlier?.baseSha,
      valueText: '{"answer":42}',
    });
    expect(git(world.clones[1], 'branch', '--list', 'truecast/*')).toBe('');
  });
});
