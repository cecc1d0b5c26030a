/**
 * Proof of repeated runs behind a job queue: workers of an example are killed at random, and its queue
 * executes their jobs again. Each job lands once, and no commit of an agent is lost.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const WORKERS = 2;
/** Jobs that are added at once: more than the workers execute at the same time. */
const JOBS = 6;
const PARTS = ['a', 'b', 'c'] as const;
/** A worker is killed at most so long after the start of an agent: in its turn, or while its work lands. */
const MAX_DELAY_MS = 2_000;
const POLL_MS = 50;

/** Options of the proof. */
export interface ActivityOptions {
  readonly kills: number;
  /** Program with the commands `send`, `work` and `list`. */
  readonly program: string;
  readonly databaseUrl: string;
  /** Empty folder. */
  readonly folder: string;
  readonly onKill?: (done: number, starts: number) => void;
}

/** Counted facts. */
export interface ActivityFacts {
  readonly kills: number;
  readonly jobs: number;
  /** Jobs that a killed worker had begun. */
  readonly repeated: number;
  readonly starts: number;
  /** Commits of agents, as they noted them after each. */
  readonly commits: number;
  /** Of these, those that are not on the target. */
  readonly lost: number;
  /** Jobs whose parts are not each on the target once. */
  readonly notLandedOnce: number;
  /** Jobs whose stored result differs from their answer and their commits. */
  readonly wrongResults: number;
  /** Branches of runs that are left. */
  readonly branches: number;
}

/** The facts of a proof that found nothing. */
export const NOTHING_WRONG = { lost: 0, notLandedOnce: 0, wrongResults: 0, branches: 0 } as const;

/** Kills workers, lets the others end all jobs, and counts. */
export async function proveActivity(options: ActivityOptions): Promise<ActivityFacts> {
  const world = makeWorld(options);
  const workers = Array.from({ length: WORKERS }, () => world.work());
  try {
    for (let done = 0; done < options.kills; done += 1) {
      const { starts, sent } = world;
      if (new Set(starts()).size >= sent() - WORKERS) world.send();
      const before = starts().length;
      while (starts().length === before) await sleep(POLL_MS);
      await sleep(Math.random() * MAX_DELAY_MS);
      const [victim] = workers.splice(Math.floor(Math.random() * workers.length), 1);
      await end(victim);
      workers.push(world.work());
      options.onKill?.(done + 1, starts().length);
    }
    for (;;) {
      const jobs = world.list();
      if (jobs.every(({ state }) => state === 'completed' || state === 'failed')) {
        return { kills: options.kills, ...countFacts(world, jobs) };
      }
      await sleep(20 * POLL_MS);
    }
  } finally {
    await Promise.all(workers.map(end));
  }
}

async function end(worker: ChildProcess | undefined): Promise<void> {
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}

const JOB = z.object({
  issue: z.string(),
  state: z.string(),
  executions: z.number(),
  output: z
    .object({ cause: z.string(), commits: z.array(z.string()) })
    .nullish()
    .catch(undefined),
});
type Job = z.infer<typeof JOB>;

interface World {
  git(...args: readonly string[]): string;
  /** Numbers of the jobs whose agents started, in order. */
  starts(): readonly string[];
  /** Commits that agents noted. */
  noted(): readonly string[];
  /** Number of the jobs. */
  sent(): number;
  send(): void;
  work(): ChildProcess;
  list(): readonly Job[];
}

function makeWorld({ program, databaseUrl, folder }: ActivityOptions): World {
  const cwd = join(folder, 'repo');
  mkdirSync(cwd);
  const git: World['git'] = (...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  for (const [key, value] of Object.entries({ 'user.name': 'Test', 'user.email': 'test@localhost' })) {
    git('config', key, value);
  }
  git('commit', '-q', '--allow-empty', '-m', 'begin');
  const env = { ...process.env, DATABASE_URL: databaseUrl, TRUECAST_AGENT_COMMAND: agentIn(folder) };
  const call = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...args], { cwd, env, encoding: 'utf8' });
  const lines = (name: string): readonly string[] =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
  let sent = 0;
  return {
    git,
    starts: () => lines('starts'),
    noted: () => lines('commits'),
    sent: () => sent,
    send() {
      call('send', ...Array.from({ length: JOBS }, (_none, index) => `Issue ${sent + index}.`));
      sent += JOBS;
    },
    work: () => spawn(process.execPath, [program, 'work'], { cwd, env, stdio: 'ignore' }),
    list: () =>
      call('list')
        .trim()
        .split('\n')
        .map((line) => JOB.parse(JSON.parse(line))),
  };
}

/** Commits each part that is not there, notes the commit, and answers with the number of the job. */
function agentIn(folder: string): string {
  return [
    `job=$(sed -n 's/.*Issue \\([0-9]*\\)\\..*/\\1/p')`,
    `echo "$job" >> '${folder}/starts'`,
    `for part in ${PARTS.join(' ')}; do`,
    '  file="$job.$part"',
    '  git cat-file -e "HEAD:$file" 2> /dev/null || {',
    '    echo "$job" > "$file" && git add "$file" && git commit -q -m "$file" || exit 1; }',
    `  git log -1 --format=%H -- "$file" >> '${folder}/commits'`,
    '  sleep 0.1',
    'done',
    `echo '<fix>{"cause":"job '"$job"'"}</fix>'`,
  ].join('\n');
}

function countFacts({ git, starts, noted, sent }: World, jobs: readonly Job[]): Omit<ActivityFacts, 'kills'> {
  const landed = new Map(
    git('log', '--format=%s %H', 'main')
      .split('\n')
      .map((line) => [line.slice(line.lastIndexOf(' ') + 1), line.slice(0, line.lastIndexOf(' '))] as const),
  );
  const subjects = [...landed.values()];
  const numbers = Array.from({ length: sent() }, (_none, index) => String(index));
  const isOnce = (subject: string): boolean => subjects.filter((each) => each === subject).length === 1;
  const isRight = ({ issue, output }: Job): boolean => {
    const job = /\d+/u.exec(issue)?.[0] ?? '';
    const found = output?.commits.map((sha) => landed.get(sha)) ?? [];
    return (
      output?.cause === `job ${job}` && found.join(' ') === PARTS.map((part) => `${job}.${part}`).join(' ')
    );
  };
  const commits = new Set(noted());
  return {
    jobs: jobs.length,
    repeated: jobs.filter(({ executions }) => executions > 1).length,
    starts: starts().length,
    commits: commits.size,
    lost: [...commits].filter((sha) => !landed.has(sha)).length,
    notLandedOnce: numbers.filter((job) => !PARTS.every((part) => isOnce(`${job}.${part}`))).length,
    wrongResults: jobs.filter((job) => !isRight(job)).length,
    branches: git('branch', '--format=%(refname:short)').split('\n').length - 1,
  };
}
