/**
 * Proof of agent runs on whole servers: servers with their workers, and agents, are killed at random. The client
 * creates runs over HTTP, with real git, and a fake Claude Code in bubblewrap.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Client } from '../../packages/client/src/create-client.ts';
import type { AgentRunReceipt } from '../../packages/client/src/wire/runs/agent-run.ts';
import { RunEndedError } from '../../packages/core/src/errors/run-ended-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import {
  countJobRows,
  openJobWorld,
  SERVERS,
  wrongCommits,
  type JobRows,
  type JobWorld,
} from './job-world.ts';
import { patientClient } from './proof-conversation.ts';

/** Options of the proof. */
export interface JobKills {
  readonly kills: number;
  /** Runs at the same time. @default 8 */
  readonly runsAhead?: number;
  /** Most time between two kills. @default 1_500 */
  readonly maxDelayMs?: number;
  readonly databaseUrl: string;
  /** Empty folder. */
  readonly folder: string;
  readonly onKill?: (done: number, created: number) => void;
}

/** Counted facts. */
export interface JobFacts extends JobRows {
  readonly serverKills: number;
  readonly agentKills: number;
  readonly runs: number;
  readonly succeeded: number;
  /** Runs that ended with a typed failure. */
  readonly failed: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

const RUNS_AHEAD = 8;
const MAX_DELAY_MS = 1_500;

const output = Output.object({ schema: z.object({ job: z.string() }) });

/** Kills servers and agents, waits for the end of all runs, and counts. */
export async function proveJobs(options: JobKills): Promise<JobFacts> {
  const world = await openJobWorld(options);
  const { servers } = world;
  const anyUrl = (): string => servers[Math.floor(Math.random() * SERVERS)]?.url ?? '';
  const client = patientClient(world.token, anyUrl);
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
      while (ended.length - receipts.length < (options.runsAhead ?? RUNS_AHEAD)) create();
      await Promise.race([sleep(Math.random() * (options.maxDelayMs ?? MAX_DELAY_MS)), failed.promise]);
      const agents = agentsOf(world.program);
      // Of a server first: it loses the executions of its runs.
      if (serverKills > 0 && Math.random() < 0.3 && agents.length > 0) {
        if (killProcess(agents[Math.floor(Math.random() * agents.length)])) agentKills += 1;
      } else {
        const place = Math.floor(Math.random() * SERVERS);
        await world.replace(place);
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
      ...(await countJobRows(options.databaseUrl)),
      wrong,
    };
  } finally {
    await world.close();
  }
}

interface Followed {
  readonly world: Pick<JobWorld, 'repository'>;
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

function countReceipts(receipts: readonly AgentRunReceipt[]): Pick<JobFacts, 'succeeded' | 'failed'> {
  const failed: Record<string, number> = {};
  for (const { status, error } of receipts) {
    if (status === 'succeeded') continue;
    const code = [status, error?.code, error?.reason].join(' ');
    failed[code] = (failed[code] ?? 0) + 1;
  }
  return { succeeded: receipts.filter(({ status }) => status === 'succeeded').length, failed };
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
