/**
 * Proof of agent runs on whole servers: servers with their workers, and agents, are killed at random. The client
 * creates runs over HTTP, with real git, and a fake Claude Code in bubblewrap.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Client } from '../../packages/client/src/create-client.ts';
import type { AgentRunReceipt } from '../../packages/client/src/wire/runs/agent-run.ts';
import { RunEndedError } from '../../packages/core/src/errors/run-ended-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { issueToken } from '../../packages/server/src/http/access-token.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { bundledHost } from '../bundled-host.ts';
import { CLAUDE_SESSION, printResult, PRINT_SESSION, writeFakeClaude } from '../fake-claude.ts';
import { patientClient } from './proof-conversation.ts';

/** Options of the proof. */
export interface JobKills {
  readonly kills: number;
  readonly databaseUrl: string;
  /** Empty folder. */
  readonly folder: string;
  readonly onKill?: (done: number, created: number) => void;
}

/** Counted facts. */
export interface JobFacts {
  readonly serverKills: number;
  readonly agentKills: number;
  readonly runs: number;
  readonly succeeded: number;
  /** Runs that ended with a typed failure. */
  readonly failed: Readonly<Record<string, number>>;
  /** Rows of runs. More than `runs` if a request was accepted twice. */
  readonly rows: number;
  readonly lostExecutions: number;
  readonly wrong: readonly string[];
}

const SERVERS = 2;
const RUNS_AHEAD = 8;
const MAX_DELAY_MS = 1_500;
const PARTS = ['half', 'rest'] as const;

const output = Output.object({ schema: z.object({ job: z.string() }) });

/**
 * Makes two commits unless they are made, and answers with the number in its prompt, which a resumed one has in its
 * session. It takes up to two seconds.
 */
const CLAUDE = `prompt=$(cat)
sessions="$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')"
session="$sessions/${CLAUDE_SESSION}.jsonl"
mkdir -p "$sessions"
number() { sed -n 's/.*job-\\([0-9]*\\)\\..*/\\1/p' | head -n 1; }
job=$(printf '%s\\n' "$prompt" | number)
[ -n "$job" ] || job=$(number < "$session")
printf '{"type":"user","message":{"content":"job-%s."},"cwd":"%s","sessionId":"${CLAUDE_SESSION}"}\\n' "$job" "$(pwd)" >> "$session"
pause() { sleep "0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"; }
commit() { git cat-file -e "HEAD:$1" 2> /dev/null || { echo "$job" > "$1" && git add "$1" && git commit -q -m "$1" >&2; }; }
${PRINT_SESSION}
pause
commit half
pause
commit rest
pause
${printResult({ structured_output: { job: 'NUMBER' } }).replace('NUMBER', `'"$job"'`)}`;

/** Kills servers and agents, waits for the end of all runs, and counts. */
export async function proveJobs(options: JobKills): Promise<JobFacts> {
  const world = await openWorld(options);
  const { servers, client } = world;
  const ended: Promise<readonly string[]>[] = [];
  const receipts: AgentRunReceipt[] = [];
  const failed = Promise.withResolvers<never>();
  let [serverKills, agentKills] = [0, 0];
  const create = (): void => {
    const job = String(ended.length);
    const following = followJob(client, job, { world, onReceipt: (receipt) => receipts.push(receipt) });
    following.catch(failed.reject);
    ended.push(following);
  };
  try {
    while (serverKills + agentKills < options.kills) {
      while (ended.length - receipts.length < RUNS_AHEAD) create();
      await Promise.race([sleep(Math.random() * MAX_DELAY_MS), failed.promise]);
      const agents = agentsOf(world.program);
      if (Math.random() < 0.3 && agents.length > 0) {
        if (killProcess(agents[Math.floor(Math.random() * agents.length)])) agentKills += 1;
      } else {
        const place = Math.floor(Math.random() * SERVERS);
        await servers[place]?.kill();
        servers[place] = await world.start();
        serverKills += 1;
      }
      options.onKill?.(serverKills + agentKills, ended.length);
    }
    const wrong = (await Promise.all(ended)).flat();
    return {
      serverKills,
      agentKills,
      runs: ended.length,
      ...countReceipts(receipts),
      ...(await countRows(options)),
      wrong,
    };
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
  }
}

interface JobServer {
  readonly url: string;
  kill(): Promise<void>;
}

interface World {
  readonly repository: string;
  /** Path of the agent's program. */
  readonly program: string;
  readonly client: Client;
  readonly servers: JobServer[];
  start(): Promise<JobServer>;
}

async function openWorld({ databaseUrl, folder }: JobKills): Promise<World> {
  const host = await bundledHost(new URL('job-server-host.ts', import.meta.url), folder);
  const [repository, bin, home] = ['repository', 'bin', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [repository, bin, home]) mkdirSync(path);
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: repository });
  git('init', '-q', '-b', 'main');
  git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.invalid',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'begin',
  );
  const store = await openStore({ url: databaseUrl });
  const { token } = await issueToken(store, { name: 'proof', owner: 'proof', scopes: ['runs'] });
  await store.close();
  const env = {
    ...process.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    PATH: writeFakeClaude(bin, CLAUDE),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const start = (): Promise<JobServer> =>
    startServer(
      spawn(process.execPath, [host, databaseUrl, repository], {
        env,
        cwd: home,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
  const servers = await Promise.all(Array.from({ length: SERVERS }, start));
  const anyUrl = (): string => servers[Math.floor(Math.random() * servers.length)]?.url ?? '';
  return { repository, program: join(bin, 'claude'), client: patientClient(token, anyUrl), servers, start };
}

async function startServer(child: ChildProcess): Promise<JobServer> {
  let text = '';
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n')) break;
  }
  return {
    url: text.trim(),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

interface Followed {
  readonly world: Pick<World, 'repository'>;
  readonly onReceipt: (receipt: AgentRunReceipt) => void;
}

/** Creates a run, follows it to its end, and returns what is wrong with it. */
async function followJob(
  client: Client,
  job: string,
  { world, onReceipt }: Followed,
): Promise<readonly string[]> {
  const prompt = `This is job-${job}.`;
  const request = { repository: 'web', agent: 'claude-code', prompt, output, limits: { executions: 100 } };
  const run = await client.runs.create(request, { idempotencyKey: `job-${job}` });
  const types: string[] = [];
  const ids: number[] = [];
  for await (const { event, id } of run.events()) {
    types.push(event.type);
    ids.push(Number(id));
  }
  const { receipt, value } = await run.result().then(
    ({ receipt: whole, output: answer }) => ({ receipt: whole, value: answer }),
    (error: unknown) => {
      if (!RunEndedError.isInstance(error)) throw error;
      return { receipt: error.receipt as AgentRunReceipt, value: undefined };
    },
  );
  onReceipt(receipt);
  return [
    ...(types.filter((type) => type === 'receipt').length === 1 ? [] : ['receipts of its stream']),
    ...(ids.every((id, index) => id === index + 1) ? [] : ['a gap in its stream']),
    ...(value === undefined || value.job === job ? [] : [`the value ${JSON.stringify(value)}`]),
    ...wrongCommits(world, receipt),
  ].map((fault) => `Run ${job} (${receipt.status}, ${receipt.executions} executions): ${fault}`);
}

/** A run that succeeded has each part once. Each commit on the branch of a run is in its receipt. */
function wrongCommits({ repository }: Followed['world'], receipt: AgentRunReceipt): readonly string[] {
  const branch = `truecast/runs/${receipt.run_id}`;
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).split('\n').slice(0, -1);
  if (git('branch', '--list', branch).length === 0) return receipt.commits.length === 0 ? [] : ['no branch'];
  const commits = git('rev-list', '--reverse', branch, '^main');
  const subjects = git('log', '--reverse', '--format=%s', branch, '^main');
  const isWhole = receipt.status !== 'succeeded' || subjects.join() === PARTS.join();
  return [
    ...(commits.join() === receipt.commits.join()
      ? []
      : [`commits ${commits.join()}, receipt ${receipt.commits.join()}`]),
    ...(isWhole ? [] : [`the parts ${subjects.join()}`]),
  ];
}

function countReceipts(receipts: readonly AgentRunReceipt[]): Pick<JobFacts, 'succeeded' | 'failed'> {
  const failed: Record<string, number> = {};
  for (const { status, error } of receipts) {
    if (status === 'succeeded') continue;
    const code = [status, error?.code, error?.reason].join(' ');
    failed[code] = (failed[code] ?? 0) + 1;
  }
  return { succeeded: receipts.filter(({ status }) => status === 'succeeded').length, failed };
}

async function countRows({ databaseUrl }: JobKills): Promise<Pick<JobFacts, 'rows' | 'lostExecutions'>> {
  const store = await openStore({ url: databaseUrl });
  try {
    const rows = await store.db.selectFrom('agent_runs').select('id').execute();
    const executions = await store.db.selectFrom('agent_run_executions').select('ending').execute();
    return { rows: rows.length, lostExecutions: executions.filter(({ ending }) => ending === 'lost').length };
  } finally {
    await store.close();
  }
}

/** Ids of the agents' processes. Their subshells are left out: an agent whose subshell is killed answers wrongly. */
function agentsOf(program: string): readonly number[] {
  const shells = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    try {
      const [shell, script = ''] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const parent = /^PPid:\s*(\d+)$/mu.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      if (shell === '/bin/sh' && basename(script) === basename(program)) {
        shells.set(Number(name), Number(parent));
      }
    } catch {
      // It has ended.
    }
  }
  return [...shells].flatMap(([pid, parent]) => (shells.has(parent) ? [] : [pid]));
}

function killProcess(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
    return false;
  }
}
