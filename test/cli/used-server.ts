/** Used server: a running `truecast serve` after many turns, with a WAL above the size of a checkpoint. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixRuns } from '../matrix.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { answerObediently, writeFolder, SMALL } from './ensemble-fixture.ts';
import { truecast } from './cli-fixture.ts';
import { createdSchema, QUESTION, serve, start, type RunningServer } from './serve-fixture.ts';

/** Turns before the first command. */
export const TURNS: number = matrixRuns(25, 500);
/** File of the schema of `QUESTION`. */
export const SCHEMA = 's.json';
/** Requests at once. */
const CLIENTS = 25;
/** With few turns, long questions fill the WAL. */
const ASKED = { ...QUESTION, content: `How many?${' '.repeat(matrixRuns(140_000, 0))}` };
const CONFIG = 'export default { limits: { requestsPerMinute: 1e7, concurrentRequests: 1e4 } };\n';

/** The server, and what its folder holds for the commands. */
export interface UsedServer extends AsyncDisposable {
  readonly folder: string;
  /** The running server. */
  server(): RunningServer;
  /** Path of the database. */
  readonly databaseUrl: string;
  /** A run that ended, and its events as `truecast ensemble replay --json` prints them. */
  readonly run: { readonly id: string; readonly events: string };
  /** A run that was interrupted. */
  readonly openRunId: string;
  /** Sends so many questions, and resolves when each is answered. */
  ask(server: RunningServer, turns: number): Promise<void>;
  /** Starts the server again after its end. */
  restart(): Promise<void>;
  walBytes(): Promise<number>;
}

/** Starts the server and sends the turns. */
export async function startUsedServer(): Promise<UsedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-used-'));
  const databaseUrl = join(folder, 'used.sqlite');
  const { schema } = QUESTION.response_format.json_schema;
  writeFolder(folder, { ...SMALL, [SCHEMA]: JSON.stringify(schema), 'truecast.config.mjs': CONFIG });
  const model = await scriptedModelServer({ script: () => submit({ answer: 7 }) });
  const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  const flags = ['--database-url', databaseUrl, '--config', 'truecast.config.mjs'];
  let server = await serve(folder, flags, env);
  await askAll(server, TURNS, ASKED);
  return {
    folder,
    server: () => server,
    databaseUrl,
    run: await playRun(folder, databaseUrl),
    openRunId: await interruptRun(folder, databaseUrl),
    ask: askAll,
    restart: async () => {
      server = await serve(folder, flags, env);
    },
    walBytes: async () => (await stat(`${databaseUrl}-wal`)).size,
    [Symbol.asyncDispose]: async () => {
      await server.end('SIGKILL');
      await model[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function askAll(server: RunningServer, turns: number, asked: object = QUESTION): Promise<void> {
  let left = turns;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { chat, request_id: id } = createdSchema.parse(await server.ask('/api/chats', asked));
      await server.ask(`/api/chats/${chat.id}/requests/${id}?wait=30`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function playRun(folder: string, databaseUrl: string): Promise<UsedServer['run']> {
  const database = ['--database-url', databaseUrl];
  const played = await truecast(folder, 'ensemble', 'run', 'duel', '--seed', 'imported', ...database);
  const id = runIdIn(played.stderr);
  const { stdout } = await truecast(folder, 'ensemble', 'replay', id, '--json', '--quiet', ...database);
  await writeFile(join(folder, 'run.jsonl'), stdout);
  return { id, events: stdout };
}

async function interruptRun(folder: string, databaseUrl: string): Promise<string> {
  const reached = Promise.withResolvers<void>();
  await using slow = await scriptedModelServer({
    script: (turn) => {
      if (turn.turnIndex < 2) return answerObediently(turn);
      reached.resolve();
      return reply.delay(3_600_000, reply.text('late'));
    },
  });
  const env = { TRUECAST_BASE_URL: slow.openaiUrl, TRUECAST_MODEL: 'slow' };
  const running = start(folder, ['ensemble', 'run', 'duel', '--database-url', databaseUrl], env);
  await reached.promise;
  await running.end('SIGINT');
  return runIdIn(running.said());
}

function runIdIn(stderr: string): string {
  return /^Run (\S+)$/mu.exec(stderr)?.[1] ?? '';
}
