/**
 * Proof of batches: `truecast runs batch` is killed at its upload and while it reads results, and the servers are killed
 * while they execute the items. The command then ends from another folder, with one result for each input.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { commandFile } from '../package/shared-build.ts';
import { openJobWorld, SERVERS, wrongCommits, type JobWorld } from './job-world.ts';

/** Options of the proof. */
export interface BatchKills {
  readonly items: number;
  /** Kills of servers with their workers, at equal numbers of ended items. */
  readonly kills: number;
  readonly databaseUrl: string;
  /** Empty folder. */
  readonly folder: string;
  readonly onKill?: (done: number, ended: number) => void;
}

/** Counted facts. */
export interface BatchFacts {
  readonly serverKills: number;
  /** Items of the batch at each kill of the command. */
  readonly itemsAtCommandKills: readonly number[];
  /** Results with the right answer in the last file. */
  readonly results: number;
  /** Lines of both files with an item that the file has already. */
  readonly duplicates: number;
  readonly rows: number;
  /** Events `receipt` of all items. */
  readonly receipts: number;
  readonly lostExecutions: number;
  /** Counts of the batch. */
  readonly batch: { readonly items: number; readonly succeeded: number; readonly failed: number };
  readonly wrong: readonly string[];
}

const POLL_MS = 50;
const PROMPT = 'This is job-{{N}}.';
const schema = {
  type: 'object',
  properties: { job: { type: 'string' } },
  required: ['job'],
  additionalProperties: false,
};
const lineSchema = z.object({ id: z.number(), status: z.string(), output: z.unknown() });

/** Kills the command three times and the servers, waits for the end, and counts. */
export async function proveBatches(options: BatchKills): Promise<BatchFacts> {
  const { items, databaseUrl, folder } = options;
  const world = await openJobWorld({ databaseUrl, folder });
  const store = await openStore({ url: databaseUrl });
  const [one, two] = ['one', 'two'].map((name) => makePlace(folder, name, items)) as [string, string];
  const itemsAtCommandKills: number[] = [];
  try {
    const killing = killServers(world, store, options);
    // Handled below.
    killing.catch(() => undefined);
    // The third one continues a file with results.
    for (const atResults of [0, Math.ceil(items / 4), Math.ceil(items / 2)]) {
      const command = await startCommand(world, one);
      while (command.isRunning() && linesOf(one).length < atResults) await sleep(POLL_MS);
      await command.end('SIGKILL');
      itemsAtCommandKills.push((await readCounts(store)).items);
    }
    const last = await startCommand(world, two);
    const exitCode = await last.end();
    const { serverKills } = await killing;
    return {
      serverKills,
      itemsAtCommandKills,
      ...countLines(one, two, items),
      ...(await countRows(world, store)),
      ...(exitCode === 0 ? {} : { wrong: [`The last command ended with ${exitCode}.`] }),
    };
  } finally {
    await world.close();
    await store.close();
  }
}

/** Makes a folder as on another machine: the inputs, the schema and the results. */
function makePlace(folder: string, name: string, items: number): string {
  const place = join(folder, name);
  mkdirSync(place);
  const inputs = Array.from({ length: items }, (_each, id) => JSON.stringify({ id, N: id }));
  writeFileSync(join(place, 'inputs.jsonl'), inputs.join('\n'));
  writeFileSync(join(place, 'schema.json'), JSON.stringify(schema));
  return place;
}

interface Command {
  isRunning(): boolean;
  /** Sends the signal, if any, and returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the command, and waits until it has its batch. */
async function startCommand({ servers, token }: JobWorld, cwd: string): Promise<Command> {
  const args = ['runs', 'batch', PROMPT, '--name', 'proof', '--inputs', 'inputs.jsonl', '--out', 'out.jsonl'];
  const request = ['--repository', 'web', '--agent', 'claude-code', '--schema', 'schema.json'];
  const more = ['--executions', '100', '--quiet'];
  const env = {
    ...process.env,
    HOME: cwd,
    TMPDIR: cwd,
    TRUECAST_URL: servers[0]?.url ?? '',
    TRUECAST_TOKEN: token,
  };
  const child = spawn(process.execPath, [await commandFile(), ...args, ...request, ...more], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  while (isRunning() && !/^batch \S+/mu.test(said)) await sleep(1);
  if (!isRunning()) throw new Error(`The command ended before it had its batch: ${said}`);
  return {
    isRunning,
    async end(signal) {
      if (signal !== undefined) child.kill(signal);
      await exited;
      if (signal === undefined && child.exitCode !== 0) process.stderr.write(said);
      return child.exitCode;
    },
  };
}

/** Kills one server after the other while items end. */
async function killServers(
  world: JobWorld,
  store: Store,
  { items, kills, onKill }: BatchKills,
): Promise<Pick<BatchFacts, 'serverKills'>> {
  for (let done = 0; done < kills; done += 1) {
    const at = Math.floor((items * done) / kills);
    let ended = 0;
    do {
      await sleep(POLL_MS);
      const { succeeded, failed, items: added } = await readCounts(store);
      ended = added === items ? succeeded + failed : -1;
    } while (ended < at);
    await world.replace(done % SERVERS);
    onKill?.(done + 1, ended);
  }
  return { serverKills: kills };
}

async function readCounts({ db }: Store): Promise<BatchFacts['batch']> {
  const query = db.selectFrom('agent_batches').select(['items', 'succeeded', 'failed']);
  return (await query.executeTakeFirst()) ?? { items: 0, succeeded: 0, failed: 0 };
}

function linesOf(place: string): readonly z.infer<typeof lineSchema>[] {
  const path = join(place, 'out.jsonl');
  if (!existsSync(path)) return [];
  // The command that was killed last can have left a part of a line.
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => lineSchema.parse(JSON.parse(line)));
}

function countLines(one: string, two: string, items: number): Pick<BatchFacts, 'results' | 'duplicates'> {
  const files = [one, two].map(linesOf);
  const duplicates = files.map((lines) => lines.length - new Set(lines.map(({ id }) => id)).size);
  const right = (files[1] ?? []).filter(
    ({ id, status, output }) => id < items && status === 'ok' && JSON.stringify(output) === `{"job":"${id}"}`,
  );
  return {
    results: new Set(right.map(({ id }) => id)).size,
    duplicates: duplicates.reduce((sum, count) => sum + count, 0),
  };
}

async function countRows(
  world: JobWorld,
  store: Store,
): Promise<Omit<BatchFacts, 'serverKills' | 'itemsAtCommandKills' | 'results' | 'duplicates'>> {
  const { db } = store;
  const columns = ['id', 'item_key', 'batch_seq', 'status', 'result'] as const;
  const rows = await db.selectFrom('agent_runs').select(columns).orderBy('batch_seq').execute();
  const events = await db.selectFrom('agent_run_events').select(['run_id', 'data']).execute();
  const executions = await db.selectFrom('agent_run_executions').select('ending').execute();
  const receipts = events.filter(({ data }) => data.startsWith('{"type":"receipt"'));
  const stored = z.object({ commits: z.array(z.string()) });
  return {
    rows: rows.length,
    receipts: receipts.length,
    lostExecutions: executions.filter(({ ending }) => ending === 'lost').length,
    batch: await readCounts(store),
    wrong: [
      ...(new Set(receipts.map(({ run_id }) => run_id)).size === rows.length
        ? []
        : ['a run with no receipt']),
      ...(new Set(rows.map(({ item_key: key }) => key)).size === rows.length ? [] : ['a key twice']),
      ...(rows.every(({ batch_seq: seq }, index) => seq === index + 1) ? [] : ['a gap in the order of ends']),
      ...rows.flatMap(({ id, status, result }) => {
        const { commits } = stored.parse(JSON.parse(result ?? '{}'));
        const ended = { run_id: id, status: status as 'succeeded', commits };
        return wrongCommits(world, ended).map((fault) => `Run ${id} (${status}): ${fault}`);
      }),
    ],
  };
}
