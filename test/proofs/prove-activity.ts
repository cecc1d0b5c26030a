/**
 * Proof of repeated runs behind a job queue: workers of an example are killed at random, and its queue
 * executes their jobs again. Each job lands once, and no commit of an agent is lost.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { examplesFolder } from '../package/examples-folder.ts';

const WORKERS = 2;
/** Jobs that are added at once: more than the workers execute at the same time. */
const JOBS = 5;
const PARTS = ['a', 'b', 'c'] as const;
/** Of a proof of many kills: some come in the turn of an agent, and some while its work lands. */
const MAX_DELAY_MS = 2_000;
const POLL_MS = 50;
/** Looks at the target between two lists of the jobs, of which one can have failed. */
const LOOKS = 50;

/** Programs of the example, by their engine. */
const PROGRAMS = { 'pg-boss': 'fix-issues.ts', dbos: 'fix-issues-dbos.ts' } as const;

/** Engine that executes jobs again. */
type Engine = keyof typeof PROGRAMS;

/** States of a job that is over. */
const ENDED: readonly string[] = [
  'completed',
  'failed',
  'SUCCESS',
  'ERROR',
  'MAX_RECOVERY_ATTEMPTS_EXCEEDED',
];

/** Options of the proof. */
export interface ActivityOptions {
  readonly kills: number;
  /** A worker is killed at most so long after the start of an agent. @default 2_000 */
  readonly maxDelayMs?: number;
  readonly engine: Engine;
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
  /** Jobs that have not exactly one receipt, with their answer and their commits. */
  readonly wrongReceipts: number;
  /** Starts of an agent without a prompt, beside another agent of the same job, or after the job's answer. */
  readonly forbiddenStarts: number;
  /** Branches of runs that are left. */
  readonly branches: number;
}

/** The facts of a proof that found nothing. */
export const NOTHING_WRONG = {
  lost: 0,
  notLandedOnce: 0,
  wrongReceipts: 0,
  forbiddenStarts: 0,
  branches: 0,
} as const;

/** Kills workers, lets the others end all jobs, and counts. */
export async function proveActivity(options: ActivityOptions): Promise<ActivityFacts> {
  const world = await makeWorld(options);
  const { kills, maxDelayMs = MAX_DELAY_MS } = options;
  const workers = Array.from({ length: WORKERS }, (_none, place) => world.work(place));
  try {
    for (let done = 0; done < kills; done += 1) {
      const { starts, sent } = world;
      if (new Set(starts()).size >= sent()) await world.send();
      const before = starts().length;
      while (starts().length === before) await sleep(POLL_MS);
      await sleep(Math.random() * maxDelayMs);
      const place = Math.floor(Math.random() * WORKERS);
      await end(workers[place]);
      workers[place] = world.work(place);
      options.onKill?.(done + 1, starts().length);
    }
    for (;;) {
      // A list takes a process. A job ends after its parts have landed, or fails without them.
      for (let looks = 0; looks < LOOKS && landedParts(world) < world.sent() * PARTS.length; looks += 1) {
        await sleep(4 * POLL_MS);
      }
      const jobs = await world.list();
      if (jobs.every(({ state }) => ENDED.includes(state))) {
        return { kills, ...countFacts(world, jobs) };
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
  /** Numbers of the jobs whose agents noted that they must not run. */
  forbidden(): readonly string[];
  /** Number of the jobs. */
  sent(): number;
  send(): Promise<void>;
  /** Starts a worker. One that takes the place of a killed one has its name. */
  work(place: number): ChildProcess;
  list(): Promise<readonly Job[]>;
}

async function makeWorld({ engine, databaseUrl, folder }: ActivityOptions): Promise<World> {
  const program = join(await examplesFolder(), 'job-queue', PROGRAMS[engine]);
  const cwd = join(folder, 'repo');
  mkdirSync(cwd);
  const git: World['git'] = (...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  for (const [key, value] of Object.entries({ 'user.name': 'Test', 'user.email': 'test@localhost' })) {
    git('config', key, value);
  }
  git('commit', '-q', '--allow-empty', '-m', 'begin');
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TRUECAST_AGENT_COMMAND: agentIn(folder),
    XDG_STATE_HOME: join(folder, 'state'),
  };
  // Not synchronous: this process reads the log of the database, which waits for it.
  const call = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...args], { cwd, env })).stdout;
  const lines = (name: string): readonly string[] =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
  let sent = 0;
  return {
    git,
    starts: () => lines('starts'),
    noted: () => lines('commits'),
    forbidden: () => lines('forbidden'),
    sent: () => sent,
    async send() {
      await call('send', ...Array.from({ length: JOBS }, (_none, index) => `Issue ${sent + index}.`));
      sent += JOBS;
    },
    work: (place) =>
      spawn(process.execPath, [program, 'work'], {
        cwd,
        env: { ...env, DBOS__VMID: `worker-${place}` },
        stdio: 'ignore',
      }),
    list: async () =>
      (await call('list'))
        .trim()
        .split('\n')
        .map((line) => JOB.parse(JSON.parse(line))),
  };
}

/**
 * Commits each part that is not there, notes the commit, and answers with the number of the job. Before, it
 * notes if another agent of the job lives, or if the job's answer is stored.
 */
function agentIn(folder: string): string {
  return [
    `job=$(sed -n 's/.*Issue \\([0-9]*\\)\\..*/\\1/p')`,
    `echo "$job" >> '${folder}/starts'`,
    // An agent without its prompt.
    `[ -n "$job" ] || echo none >> '${folder}/forbidden'`,
    `pid='${folder}'/pid.$job`,
    // A killed process can wait for its parent as a zombie.
    `[ -e "$pid" ] && grep -q '^State:[[:space:]]*[A-WYa-z]' "/proc/$(cat "$pid")/status" 2> /dev/null &&`,
    `  echo "$job" >> '${folder}/forbidden'`,
    'echo $$ > "$pid"',
    'branch="\\"branch\\":\\"$(git symbolic-ref --short HEAD)\\""',
    `grep -lF "$branch" '${folder}'/state/truecast/*/executions/*.json 2> /dev/null |`,
    `  xargs -r grep -lE '"phase":"(answered|ended)"' > /dev/null && echo "$job" >> '${folder}/forbidden'`,
    `for part in ${PARTS.join(' ')}; do`,
    '  file="$job.$part"',
    '  git cat-file -e "HEAD:$file" 2> /dev/null || {',
    '    echo "$job" > "$file" && git add "$file" && git commit -q -m "$file" || exit 1; }',
    `  git log -1 --format=%H -- "$file" >> '${folder}/commits'`,
    '  sleep 0.1',
    'done',
    'rm "$pid"',
    `echo '<fix>{"cause":"job '"$job"'"}</fix>'`,
  ].join('\n');
}

/** Number of the commits on the target after the first. */
function landedParts({ git }: World): number {
  return Number(git('rev-list', '--count', 'main')) - 1;
}

function countFacts(
  { git, starts, noted, forbidden, sent }: World,
  jobs: readonly Job[],
): Omit<ActivityFacts, 'kills'> {
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
    wrongReceipts: numbers.filter((number) => {
      const own = jobs.filter(({ issue }) => issue === `Issue ${number}.`);
      return own.length !== 1 || !own.every(isRight);
    }).length,
    forbiddenStarts: forbidden().length,
    branches: git('branch', '--format=%(refname:short)').split('\n').length - 1,
  };
}
