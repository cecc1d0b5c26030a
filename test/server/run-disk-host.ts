/**
 * Worker of agent runs whose disks are full, each at another place: it executes one run for each, and prints
 * their receipts and what the branches have. Its arguments are a folder in which it mounts disks, the address of
 * the store, and the places that it tries. `sqlite` is a store on one of these disks.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import { nameWorker } from '../../packages/server/src/runner/workers/worker-name.ts';
import type { RunReport } from '../../packages/server/src/runs/agent-executor.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE, startRunWorker } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { makeDiskRepository } from '../run/make-disk-repository.ts';

const PLACES = ['worktree', 'checkpoint', 'log', 'blob'] as const;
type Place = (typeof PLACES)[number];
const DISK = { repository: '2m', folder: '128k', database: '24m' };
const OWNER = 'anna';

const [folder = '', databaseUrl = '', ...tried] = process.argv.slice(2);
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

function mount(path: string, size: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path]);
  return path;
}

/** Writes a file that takes all that is left. */
function fill(disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filling'), Buffer.alloc(bavail * bsize));
}

function free(disk: string): void {
  rmSync(join(disk, 'filling'), { force: true });
}

const isFull = (disk: string): boolean => statfsSync(disk).bavail === 0;

const repositoryOf = (place: Place): string => join(folder, place);
const stateOf = (place: Place): string => repositoryStateFolder(join(repositoryOf(place), '.git'));

const places = PLACES.filter((place) => tried.includes(place));
for (const place of places) {
  const cwd = repositoryOf(place);
  if (place === 'worktree') mount(cwd, DISK.repository);
  else mkdirSync(cwd);
  makeDiskRepository(cwd);
}
if (places.includes('worktree')) {
  // The checkout of a worktree needs more than is left.
  const full = repositoryOf('worktree');
  writeFileSync(join(full, 'large.bin'), Buffer.alloc(200_000, 'x'));
  git(full, 'add', '-A');
  git(full, 'commit', '-q', '-m', 'large');
  writeFileSync(join(full, 'reserve'), Buffer.alloc(100_000));
  fill(full);
  rmSync(join(full, 'reserve'));
}
const records = places.includes('checkpoint')
  ? mount(join(stateOf('checkpoint'), 'executions'), DISK.folder)
  : undefined;
if (places.includes('log')) fill(mount(join(stateOf('log'), 'logs'), DISK.folder));
const database = databaseUrl === 'sqlite' ? mount(join(folder, 'database'), DISK.database) : undefined;

const store = await openStore({
  url: database === undefined ? databaseUrl : join(database, 'store.sqlite'),
  onWarning: () => undefined,
});
const queue = await openJobQueue({ store, queues: [RUN_QUEUE], onWarning: () => undefined });
const machine = createRunMachine({ store });
const executor = await openExecutor({
  repositories: Object.fromEntries(places.map((place) => [place, { path: repositoryOf(place) }])),
  runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
});
if (executor === undefined) throw new TypeError('The configuration has no `runs`.');

/** Reports of an execution. A disk fills up while the agent works, or when its work has landed. */
function filling(place: string, report: RunReport): RunReport {
  return {
    ...report,
    event: (event) => {
      const isFilled = records === undefined || isFull(records);
      if (place === 'checkpoint' && event.type === 'text' && !isFilled) fill(records);
      report.event(event);
    },
    note: async (note) => {
      await report.note(note);
      if (place === 'blob' && note.phase === 'settled' && database !== undefined) fill(database);
    },
  };
}

const worker = await startRunWorker(
  {
    machine,
    queue,
    worker: nameWorker(),
    isDeadWorker: () => false,
    onFault: (message) => {
      // The end of a run waits until the disk has room.
      if (database !== undefined && message.startsWith('The end of a run')) free(database);
    },
    executor: {
      ...executor,
      execute: (claimed, report) => executor.execute(claimed, filling(claimed.request.repository, report)),
    },
  },
  { sweepMs: 100 },
);

const results: Record<string, unknown> = {};
for (const repository of places) {
  // A store on Postgres refuses the patch of any size.
  const prompt = repository === 'blob' && database !== undefined ? 'Write much.' : 'Write.';
  const request = { repository, agent: 'claude-code', prompt };
  const { id: runId } = await machine.createRun({ owner: OWNER, request });
  const { status, error, headSha, result } = await machine.waitForRun({
    owner: OWNER,
    runId,
    waitMs: 120_000,
  });
  const cwd = repositoryOf(repository);
  const branch = `truecast/runs/${runId}`;
  const isThere = git(cwd, 'branch', '--list', branch) !== '';
  results[repository] = {
    status,
    error,
    text: result?.text,
    warnings: result?.warnings,
    isHead: isThere && git(cwd, 'rev-parse', branch) === headSha,
    subjects: isThere ? git(cwd, 'log', '--reverse', '--format=%s', branch).split('\n') : [],
    artifacts: (await machine.listArtifacts({ owner: OWNER, runId })).map(({ name }) => name),
  };
}
process.stdout.write(JSON.stringify(results));
await worker.close();
await queue.close();
await store.close();
