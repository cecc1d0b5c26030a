/**
 * Two workers on two machines with one remote: the first stands still, or has no database, for longer than its
 * lease, and continues when others have pushed. Its commits of the database and its pushes are refused, and its
 * agents are ended.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Store } from '../../packages/store/src/database/store.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import {
  describeOnBothStores,
  describeOnPostgres,
  describeOnSqlite,
  type StoreFixture,
} from '../describe-on-both-stores.ts';
import { startGitServer } from '../git-server.ts';
import { FORM } from '../matrix.ts';
import { git, temporaryFolder } from '../run/fixture.ts';
import { postgresProxy } from './postgres-proxy.ts';
import { CLAUDE, makeRunWorld, OWNER, worktreeOf, type RunWorkerProcess } from './run-world.ts';

const PASSWORD = 'correct-horse-4711';
const { begin, commit, session, storeSession, say, answer } = CLAUDE;
/**
 * The first turn has a wrong answer, and its work is pushed. The second one speaks until the test writes a file,
 * unless its first machine was lost.
 */
const SCRIPT = [
  begin,
  session,
  storeSession,
  commit('half'),
  `[ -n "$again" ] || { ${answer('wrong')}; exit; }`,
  say('I wait.'),
  `case "$prompt" in *"machine was lost"*) ;; *) while [ ! -e go ]; do ${say('.')}; sleep 0.3; done ;; esac`,
  commit('late'),
  'rm -f go',
  answer(42),
];

/** Polls in a row without a process of the worker. */
const IDLE_POLLS = 40;

/** Processes that a process has started and that live. */
function childrenOf(pid = 0): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** The rows of a run, and of its workers. */
async function everyRow({ db }: Store): Promise<string> {
  const tables = ['agent_runs', 'agent_run_events', 'agent_run_executions', 'run_workers'] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

/** Makes a worker miss its lease. */
interface Absence {
  /** Address of its store. @default that of the world */
  readonly url?: string;
  begin(worker: RunWorkerProcess): void | Promise<void>;
  end(worker: RunWorkerProcess): void;
}

/** One agent ends while its worker is absent, and the other one never does. */
const BRANCHES = ['fix', 'stuck'];

async function expectNoLateWrite({ open }: StoreFixture, url: string, absence: Absence): Promise<void> {
  const server = await startGitServer(PASSWORD);
  const store = await open(url);
  const world = await makeRunWorld({
    store,
    url,
    script: SCRIPT,
    repository: { url: server.url, credential: { env: 'API_GIT_TOKEN' } },
    env: { API_GIT_TOKEN: PASSWORD },
    times: { leaseMs: 2_000, heartbeatMs: 300 },
  });
  const { machine } = world;
  const machines = temporaryFolder();
  const repositoriesOf = (name: string): string => join(machines, name, '.truecast', 'repositories');
  for (const name of ['one', 'two']) mkdirSync(join(machines, name));
  const runIds: string[] = [];
  for (const branch of BRANCHES) runIds.push(await world.create({ branch }));
  const { url: firstUrl } = absence;
  const folder = join(machines, 'one');
  const first = await world.start({ folder, ...(firstUrl !== undefined && { url: firstUrl }) });
  const readRuns = () => Promise.all(runIds.map((runId) => machine.readRun({ owner: OWNER, runId })));
  for (const runId of runIds) await world.said(runId, 'I wait.');
  const arePushed = async (): Promise<boolean> =>
    (await readRuns()).every(({ pushedSha }) => pushedSha !== undefined);
  await expect.poll(arePushed, { timeout: 30_000 }).toBe(true);
  await absence.begin(first);

  const next = await world.start({ folder: join(machines, 'two') });
  for (const runId of runIds) await world.ended(runId);
  const ended = await readRuns();
  expect(ended.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  // The other machine works on the branch.
  server.commit('fix', 'of the next worker');
  const pushed = BRANCHES.map((branch) => server.subjects(branch));
  const clone = readdirSync(repositoriesOf('one')).find((name) => name.startsWith('web-')) ?? '';
  const repository = join(repositoriesOf('one'), clone);
  const kept = (): string => git(repository, 'log', '--format=%s', 'fix');
  const go = join(worktreeOf(repository, 'fix'), 'go');
  writeFileSync(go, '');
  await expect.poll(() => existsSync(go), { timeout: 60_000 }).toBe(false);
  absence.end(first);
  // Its agent's work is handed over, and then no agent and no git works any more.
  await expect.poll(kept, { timeout: 60_000 }).toContain('late');
  let idle = 0;
  const idlePolls = (): number => (idle = childrenOf(first.process.pid).length === 0 ? idle + 1 : 0);
  await expect.poll(idlePolls, { timeout: 60_000 }).toBeGreaterThan(IDLE_POLLS);
  await first.kill('SIGTERM');
  await next.kill('SIGTERM');
  expect(BRANCHES.map((branch) => server.subjects(branch))).toEqual(pushed);
  expect(await readRuns()).toEqual(ended);
  for (const runId of runIds) {
    expect((await machine.listExecutions(runId)).map(({ ending }) => ending)).toEqual(['lost', 'ended']);
    const events = await machine.listRunEvents({ runId, after: 0, limit: 1_000 });
    expect(events.filter(({ data }) => data.includes('"type":"receipt"'))).toHaveLength(1);
  }
  const rows = await everyRow(store);
  expect(rows).toContain('"pushed_sha":"');
  expect(rows).not.toContain(PASSWORD);
}

const TIMEOUT = { timeout: 180_000 };

const describeInTurns = FORM === 'whole' ? describeOnBothStores : describeOnSqlite;
describeInTurns('a worker that stands still', (fixture) => {
  itInBubblewrap('writes and pushes nothing after another worker has its runs', TIMEOUT, async () => {
    await expectNoLateWrite(fixture, await fixture.freshUrl(), {
      begin: (worker) => worker.standStill(),
      end: (worker) => worker.goOn(),
    });
  });
});

// In the short form, `pushed-runs.test.ts` has the pushes of a worker without a database, and `database-away.test.ts` its runs.
if (FORM === 'whole') {
  describeOnPostgres('a worker whose database is away for it alone', (fixture) => {
    itInBubblewrap('writes and pushes nothing after another worker has its runs', TIMEOUT, async () => {
      const url = await fixture.freshUrl();
      await using proxy = await postgresProxy(url);
      await expectNoLateWrite(fixture, url, {
        url: proxy.url,
        begin: () => proxy.cut('refused'),
        end: () => proxy.restore(),
      });
    });
  });
}
