/**
 * Tests of the clean-up of a worker's machine, on both databases (in the short form, each on one of them): real runs in
 * bubblewrap with real git, whose clock is moved on. What the remote and the artifacts have is removed, and nothing else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, vi } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import type { CreateAgentRunBody } from '../../packages/client/src/wire/runs/agent-run.ts';
import type { RemovedRemains } from '../../packages/server/src/contract/observed-work.ts';
import type { AgentExecutor } from '../../packages/server/src/runs/agent-executor.ts';
import { continuationOf } from '../../packages/server/src/runs/continued-run.ts';
import { testRuns, type TestRuns } from '../../packages/server/src/runs/state/test-runs.ts';
import type { RunRecord } from '../../packages/server/src/runs/state/run-records.ts';
import { ActiveRun } from '../../packages/server/src/runs/workers/active-run.ts';
import { cleanUpRuns } from '../../packages/server/src/runs/workers/clean-up.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { listAudit } from '../../packages/server/src/owners/audit-list.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { bundledHost } from '../bundled-host.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores, type StoreFixture } from '../describe-on-both-stores.ts';
import { writeFakeClaude } from '../fake-claude.ts';
import { startGitServer, type GitServer } from '../git-server.ts';
import { matrixCases, matrixRow } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { CLAUDE } from './run-world.ts';

vi.setConfig({ testTimeout: 180_000 });

const OWNER = 'anna';
const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;
const LIMITS = { fetchMs: 30_000, pushMs: 30_000, leaveMs: 1_000, pauseMs: 10 };
const HOST = new URL('clean-up-host.ts', import.meta.url);
/** Commits a file with the prompt's first word as its name. With `dirty`, it fails with uncommitted files. */
const SCRIPT = [
  'prompt=$(cat)',
  `word=$(echo "$prompt" | tail -n 1 | cut -d ' ' -f 1)`,
  CLAUDE.session,
  CLAUDE.storeSession,
  'ls > seen.txt; cp seen.txt "$word.txt"; rm seen.txt; git add "$word.txt"; git commit -q -m "$word" >&2',
  `case "$prompt" in *dirty*) echo half > half.txt; printf '\\377\\n' > latin; exit 3 ;; esac`,
  CLAUDE.answer(42),
];

interface World {
  readonly machine: TestRuns;
  readonly executor: AgentExecutor;
  /** The clone or the repository. */
  readonly path: string;
  readonly config: object;
  readonly folder: string;
  readonly faults: unknown[];
  /** Creates a run, executes it, and returns it with its end. */
  run(prompt: string, changes?: Partial<CreateAgentRunBody>): Promise<RunRecord>;
  /** Creates a run that continues another one. */
  follow(parent: RunRecord, prompt: string): Promise<RunRecord>;
  work(): Promise<void>;
  read(run: RunRecord): Promise<RunRecord>;
  /** One pass over all runs. */
  pass(): Promise<RemovedRemains>;
  /** Parts of a run on this machine. */
  left(run: RunRecord): readonly string[];
}

async function makeWorld(store: Store, server?: GitServer): Promise<World> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  vi.stubEnv('PATH', writeFakeClaude(join(folder, 'bin'), SCRIPT.join('\n')));
  vi.stubEnv('HOME', folder);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, '.claude'));
  const local = server === undefined ? makeRepository() : undefined;
  const config = {
    repositories: { web: local === undefined ? { url: server?.url ?? '' } : { path: local } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
  } as const;
  const place = { environment: process.env, folder, remoteLimits: LIMITS };
  const executor = await openExecutor(config, place);
  if (executor === undefined) throw new TypeError('No executor.');
  const clones = join(folder, '.truecast', 'repositories');
  const path = local ?? join(clones, readdirSync(clones).find((name) => name.startsWith('web-')) ?? '');
  const machine = testRuns(store);
  const stateFolder = repositoryStateFolder(join(path, '.git'));
  const faults: unknown[] = [];
  const ports = {
    machine,
    executor,
    onLeave: () => undefined,
    onFault: (message: string, cause: unknown) => void faults.push(message, cause),
  };
  const requestOf = (prompt: string, changes: Partial<CreateAgentRunBody> = {}): CreateAgentRunBody => ({
    repository: 'web',
    agent: 'claude-code',
    prompt,
    ref: 'main',
    ...changes,
  });
  const read: World['read'] = ({ id }) => machine.readRun({ owner: OWNER, runId: id });
  const work = async (): Promise<void> => {
    await machine.beat('w1');
    const held = await machine.claimNext({ worker: 'w1', offers: executor.offers });
    if (held === undefined) throw new TypeError('No run is queued.');
    await new ActiveRun(ports, held).run();
  };
  return {
    machine,
    executor,
    path,
    config,
    folder,
    faults,
    read,
    work,
    async run(prompt, changes) {
      const run = await machine.createRun({ owner: OWNER, request: requestOf(prompt, changes) });
      await work();
      return read(run);
    },
    follow: (parent, prompt) =>
      machine.createRun({
        owner: OWNER,
        request: requestOf(prompt),
        branch: parent.branch,
        parent: { id: parent.id, relation: 'continue', continued: continuationOf(parent) },
      }),
    async pass() {
      const removed: RemovedRemains[] = [];
      const options = {
        ...ports,
        keepMs: KEEP_MS,
        isClosing: () => false,
        onCleanUp: (each: RemovedRemains) => void removed.push(each),
      };
      await cleanUpRuns(options);
      return removed[0] ?? { worktrees: 0, references: 0, logs: 0 };
    },
    left({ id, branch }) {
      const has = (name: string): boolean => git(path, 'for-each-ref', name) !== '';
      const files = (name: string): readonly string[] => {
        const found = join(stateFolder, name);
        return existsSync(found) ? readdirSync(found).map((file) => join(found, file)) : [];
      };
      return [
        ...(has(`refs/heads/${branch}`) ? ['branch'] : []),
        ...(has(`refs/truecast/bases/${id}`) ? ['base'] : []),
        ...(git(path, 'worktree', 'list').includes(`[${branch}]`) ? ['worktree'] : []),
        ...(files('logs').some((file) => file.includes(id)) ? ['log'] : []),
        ...(files('executions').some((file) => readFileSync(file, 'utf8').includes(id)) ? ['record'] : []),
      ];
    },
  };
}

const NOTHING = { worktrees: 0, references: 0, logs: 0 };

describeOnBothStores('the clean-up of a machine', (fixture: StoreFixture) => {
  const openStore = async (): Promise<Store> => fixture.open(await fixture.freshUrl());
  const itInTurns = matrixRow(fixture.row, { rows: 2 }, itInBubblewrap);

  itInTurns(
    'removes what the remote has a day after the end, and never a commit that only it has',
    async () => {
      const store = await openStore();
      const server = await startGitServer();
      const world = await makeWorld(store, server);
      const { machine, pass, left } = world;
      const pushed = await world.run('alpha');
      const kept = await world.run('beta', { push: 'never' });
      expect([pushed.status, kept.status]).toEqual(['succeeded', 'succeeded']);
      expect(left(pushed)).toEqual(['branch', 'base', 'log', 'record']);
      machine.clock.nowMs += DAY_MS - 1;
      expect(await pass()).toEqual(NOTHING);
      machine.clock.nowMs += 1;
      // Another database does not know the runs.
      const other = testRuns(await openStore());
      other.clock.nowMs += 100 * DAY_MS;
      const never = (): void => expect.unreachable();
      const { executor } = world;
      const lost = { executor, keepMs: 0, isClosing: () => false, onCleanUp: never, onFault: never };
      await cleanUpRuns({ ...lost, machine: other });
      const away = { ...machine, cleanableRuns: () => Promise.reject(new TypeError('away')) };
      await expect(cleanUpRuns({ ...lost, machine: away })).rejects.toThrow('away');
      expect(left(pushed)).toEqual(['branch', 'base', 'log', 'record']);

      expect(await pass()).toEqual({ worktrees: 0, references: 2, logs: 2 });
      expect([left(pushed), left(kept)]).toEqual([[], ['branch', 'base', 'record']]);
      expect(server.subjects(pushed.branch)).toEqual(['alpha']);
      expect(await listAudit(store.db, { limit: 10 })).toMatchObject([
        { action: 'retention_run', actor: 'retention', detail: { worktrees: 0, references: 2, logs: 2 } },
      ]);
      machine.clock.nowMs += 1_000 * DAY_MS;
      expect([await pass(), await pass()]).toEqual([NOTHING, NOTHING]);
      expect(left(kept)).toEqual(['branch', 'base', 'record']);
      expect(world.faults).toEqual([]);
    },
  );

  itInTurns(
    'keeps a pushed branch that the remote deleted for the kept time, and asks the remote first',
    async () => {
      const store = await openStore();
      const server = await startGitServer();
      const { machine, pass, left, run, path, faults } = await makeWorld(store, server);
      const merged = await run('alpha');
      git(server.path, 'update-ref', '-d', `refs/heads/${merged.branch}`);
      const old = (): void => utimesSync(join(path, '.git', 'truecast', 'fetched'), 0, 0);
      machine.clock.nowMs += DAY_MS;
      old();
      server.mode = 'gone';
      expect(await pass()).toEqual(NOTHING);
      expect(faults).toHaveLength(2);
      server.mode = 'up';
      expect(await pass()).toEqual({ ...NOTHING, logs: 1 });
      expect(left(merged)).toEqual(['branch', 'base', 'record']);
      machine.clock.nowMs += KEEP_MS;
      expect(await pass()).toEqual({ ...NOTHING, references: 2 });
      expect(left(merged)).toEqual([]);
    },
  );

  itInTurns('removes the worktree of a failed run only if an artifact has its uncommitted work', async () => {
    const store = await openStore();
    const { machine, pass, left, run, path, faults } = await makeWorld(store);
    const failed = await run('alpha dirty');
    const touched = await run('beta dirty');
    expect([failed.status, left(failed)]).toEqual(['failed', ['branch', 'worktree', 'log', 'record']]);
    const worktrees = git(path, 'worktree', 'list', '--porcelain').split('\n\n');
    const block = worktrees.find((each) => each.includes(touched.branch)) ?? '';
    const [, folder = ''] = /^worktree (.+)$/mu.exec(block) ?? [];
    writeFileSync(join(folder, 'mine.txt'), 'A person works here.');
    machine.clock.nowMs += DAY_MS - 1;
    expect(await pass()).toEqual(NOTHING);
    machine.clock.nowMs += 1;
    expect(await pass()).toEqual({ worktrees: 1, references: 0, logs: 2 });
    // The branch of a repository at a path is its result.
    expect([left(failed), left(touched)]).toEqual([['branch'], ['branch', 'worktree', 'record']]);
    expect(readFileSync(join(folder, 'half.txt'), 'utf8')).toBe('half\n');
    machine.clock.nowMs += 1_000 * DAY_MS;
    expect([await pass(), await pass()]).toEqual([NOTHING, NOTHING]);
    expect(left(touched)).toEqual(['branch', 'worktree', 'record']);
    expect(existsSync(join(path, '.git', 'truecast', 'removed'))).toBe(true);
    expect([readdirSync(join(path, '.git', 'truecast', 'removed')), faults]).toEqual([[], []]);
  });

  itInTurns(
    'leaves a run alone that another one follows, and a later one continues from the remote',
    async () => {
      const store = await openStore();
      const server = await startGitServer();
      const { machine, pass, left, run, follow, work, read } = await makeWorld(store, server);
      const first = await run('alpha');
      machine.clock.nowMs += DAY_MS;
      const second = await follow(first, 'beta');
      expect(await pass()).toEqual(NOTHING);
      expect(left(first)).toEqual(['branch', 'base', 'log', 'record']);
      await work();
      const after = await read(second);
      expect(after).toMatchObject({ status: 'succeeded', branch: first.branch });
      machine.clock.nowMs += DAY_MS;
      await pass();
      expect([left(first), left(after)]).toEqual([[], []]);
      const third = await follow(after, 'gamma');
      await work();
      const last = await read(third);
      expect(last).toMatchObject({ status: 'succeeded', result: { warnings: [] } });
      expect(server.subjects(first.branch)).toEqual(['alpha', 'beta', 'gamma']);
      expect(git(server.path, 'show', `${first.branch}:gamma.txt`)).toContain('beta.txt');
    },
  );

  for (const where of matrixCases(1, ['at an address', 'here'])) {
    const title = `of a failed run ${where} is undone for a run that continues it: its uncommitted work and its session come back`;
    itInTurns(title, async () => {
      const store = await openStore();
      const server = where === 'here' ? undefined : await startGitServer();
      const { machine, pass, left, run, follow, work, read, path, folder, faults } = await makeWorld(
        store,
        server,
      );
      const failed = await run('alpha dirty');
      machine.clock.nowMs += DAY_MS;
      expect((await pass()).worktrees).toBe(1);
      expect(left(failed).includes('worktree')).toBe(false);
      // As on another machine.
      rmSync(join(folder, '.claude', 'projects'), { recursive: true });
      const next = await follow(failed, 'beta');
      await work();
      const ended = await read(next);
      expect(ended.status).toBe('succeeded');
      expect(git(path, 'show', `${failed.branch}:beta.txt`).split('\n')).toEqual(
        expect.arrayContaining(['alpha.txt', 'half.txt', 'latin']),
      );
      expect(JSON.stringify(ended.result?.warnings)).not.toContain('is not on this machine');
      expect(left(ended)).toContain('worktree');
      machine.clock.nowMs += DAY_MS;
      await pass();
      expect(left(ended).filter((what) => what !== 'branch')).toEqual([]);
      expect(faults).toEqual([]);
    });
  }

  itInTurns('is repeated after a kill before each change, and loses nothing', async () => {
    const url = await fixture.freshUrl();
    const store = await fixture.open(url);
    const server = await startGitServer();
    const { machine, pass, left, run, path, config, folder } = await makeWorld(store, server);
    const runs: RunRecord[] = [];
    for (const word of matrixCases(2, ['alpha', 'beta', 'gamma'])) runs.push(await run(`${word} dirty`));
    expect(runs.map(left)).toEqual(runs.map(() => ['branch', 'base', 'worktree', 'log', 'record']));
    machine.clock.nowMs += DAY_MS;
    // Programs below the working directory are not used.
    const bin = temporaryFolder();
    const real = process.env['PATH']?.split(delimiter).find((each) => existsSync(join(each, 'git'))) ?? '';
    const host = await bundledHost(HOST);
    for (const stop of ['worktree remove', 'update-ref --stdin']) {
      const lines = [`case "$*" in *"${stop}"*) kill -9 $PPID; exit 1 ;; esac`, `exec ${real}/git "$@"`];
      writeFileSync(join(bin, 'git'), ['#!/bin/sh', ...lines, ''].join('\n'));
      chmodSync(join(bin, 'git'), 0o755);
      const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
      const args = [host, url, JSON.stringify(config), String(machine.clock.nowMs)];
      const child = spawn(process.execPath, args, {
        env,
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      expect([stop, ...((await once(child, 'exit')) as unknown[])]).toEqual([stop, null, 'SIGKILL']);
    }
    await pass();
    expect(runs.map(left)).toEqual(runs.map(() => []));
    for (const { branch } of runs) expect(server.subjects(branch)).toHaveLength(1);
    expect(readdirSync(join(path, '.git', 'truecast', 'removed'))).toEqual([]);
    expect(git(path, 'fsck', '--no-dangling')).toBe('');
  });
});
