/**
 * Two workers on two machines with one remote: the first is stopped for longer than its lease, and continues when
 * others have pushed. It pushes nothing, and its agent is ended.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Store } from '../../packages/store/src/database/store.ts';
import { bubblewrapIsMissing } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { startGitServer } from '../git-server.ts';
import { git, temporaryFolder } from '../run/fixture.ts';
import { CLAUDE, makeRunWorld, OWNER } from './run-world.ts';

const PASSWORD = 'correct-horse-4711';
const { begin, commit, session, storeSession, say, answer } = CLAUDE;
/** The first turn has a wrong answer, and its work is pushed. The second one ends while its worker stands still. */
const SCRIPT = [
  begin,
  session,
  storeSession,
  commit('half'),
  `[ -n "$again" ] || { ${answer('wrong')}; exit; }`,
  say('I wait.'),
  'sleep 1',
  commit('late'),
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

describeOnBothStores('a worker that stands still', ({ open, freshUrl }) => {
  const test = it.skipIf(bubblewrapIsMissing !== undefined || process.platform !== 'linux');

  test('pushes nothing after another worker has its run', { timeout: 180_000 }, async () => {
    const server = await startGitServer(PASSWORD);
    const url = await freshUrl();
    const store = await open(url);
    const world = await makeRunWorld({
      store,
      url,
      script: SCRIPT,
      repository: { url: server.url, credential: { env: 'API_GIT_TOKEN' } },
      env: { API_GIT_TOKEN: PASSWORD },
      times: { leaseMs: 2_000, heartbeatMs: 300 },
    });
    const machines = temporaryFolder();
    const repositoriesOf = (name: string): string => join(machines, name, '.truecast', 'repositories');
    for (const name of ['one', 'two']) mkdirSync(join(machines, name));
    const runId = await world.create({ branch: 'fix' });
    const first = await world.start({ folder: join(machines, 'one') });
    await world.said(runId, 'I wait.');
    const pushedSha = async (): Promise<string | undefined> =>
      (await world.machine.readRun({ owner: OWNER, runId })).pushedSha;
    await expect.poll(pushedSha, { timeout: 30_000 }).toMatch(/^[\da-f]{40}$/u);
    await first.standStill();

    const next = await world.start({ folder: join(machines, 'two') });
    await world.ended(runId);
    // The other machine works on the branch.
    server.commit('fix', 'of the next worker');
    const pushed = server.subjects('fix');
    first.goOn();
    // Its agent's work is handed over, and then no git works any more.
    const clone = readdirSync(repositoriesOf('one')).find((name) => name.startsWith('web-')) ?? '';
    const kept = (): string => git(join(repositoriesOf('one'), clone), 'log', '--format=%s', 'fix');
    await expect.poll(kept, { timeout: 60_000 }).toContain('late');
    let idle = 0;
    const idlePolls = (): number => (idle = childrenOf(first.process.pid).length === 0 ? idle + 1 : 0);
    await expect.poll(idlePolls, { timeout: 60_000 }).toBeGreaterThan(IDLE_POLLS);
    await first.kill('SIGTERM');
    await next.kill('SIGTERM');
    expect(server.subjects('fix')).toEqual(pushed);
    const rows = await everyRow(store);
    expect(rows).toContain('"pushed_sha":"');
    expect(rows).not.toContain(PASSWORD);
  });
});
