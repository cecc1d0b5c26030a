/** Proof by kills: servers are killed at random under load, and every request ends once. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { answerNumber, haveConversation, patientClient, type HadConversation } from './proof-conversation.ts';
import { startProofServer, type ProofServer } from './proof-server.ts';

const CLIENTS = 8;
/** A server is killed after one of so many model calls, and up to so long after that. */
const MAX_CALLS = 24;
const MAX_DELAY_MS = 60;

/** Options of the proof. */
export interface KillOptions {
  readonly kills: number;
  readonly databaseUrl: string;
  /** Servers at once: one on SQLite, several on Postgres. */
  readonly servers: number;
  /** Folder of effects and of the compile cache. */
  readonly folder: string;
  readonly onKill?: (done: number, conversations: number) => void;
}

/** Counted facts. */
export interface KillFacts {
  readonly kills: number;
  readonly requests: number;
  readonly receipts: number;
  readonly effects: number;
  readonly effectsTwice: number;
  readonly unknownCalls: number;
  readonly rowsWithoutEnd: number;
}

/** Kills servers while clients talk, and counts what is left. Throws at the first wrong answer. */
export async function proveKills(options: KillOptions): Promise<KillFacts> {
  const { databaseUrl, folder } = options;
  const calls = new CallCounter();
  await using model = await scriptedModelServer({
    script: (turn) => {
      calls.count();
      return answerNumber(turn);
    },
  });
  const store = await openStore({ url: databaseUrl });
  const { token } = await issueToken(store, { name: 'proof', owner: 'proof' });
  await store.close();
  const effects = join(folder, 'effects');
  const start = (): Promise<ProofServer> =>
    startProofServer({ databaseUrl, modelUrl: model.openaiUrl, effects, cache: join(folder, 'compiled') });
  const running = new Set(await Promise.all(Array.from({ length: options.servers }, start)));
  const url = (): string => [...running].at(-1)?.url ?? 'http://127.0.0.1:1';
  const talk = startTalking(token, url);
  try {
    for (let done = 1; done <= options.kills; done += 1) {
      await Promise.race([calls.pass(1 + Math.floor(Math.random() * MAX_CALLS)), talk.failed]);
      await sleep(Math.random() * MAX_DELAY_MS);
      const [victim] = running;
      if (victim === undefined) break;
      running.delete(victim);
      await victim.kill();
      running.add(await start());
      options.onKill?.(done, talk.had.length);
    }
    await talk.end();
    await assertUnchanged(talk.had);
  } finally {
    talk.stop();
    await Promise.all([...running].map((server) => server.kill()));
  }
  return { kills: options.kills, ...(await countFacts(databaseUrl, effects, talk.had)) };
}

/** Waits for model calls: a server on a busy machine is killed during work too. */
class CallCounter {
  #left = 0;
  #passed = Promise.withResolvers<void>();

  count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#passed.resolve();
  }

  pass(calls: number): Promise<void> {
    this.#left = calls;
    this.#passed = Promise.withResolvers();
    return this.#passed.promise;
  }
}

interface Talking {
  readonly had: HadConversation[];
  /** Rejects with the first failed conversation. */
  readonly failed: Promise<never>;
  stop(): void;
  /** Lets the running conversations end. */
  end(): Promise<void>;
}

function startTalking(token: string, url: () => string): Talking {
  const had: HadConversation[] = [];
  const client = patientClient(token, url);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let isStopped = false;
  let next = 1;
  const talk = async (): Promise<void> => {
    while (!isStopped) {
      const n = next;
      next += 2;
      had.push(await haveConversation(client, n));
    }
  };
  const talking = Array.from({ length: CLIENTS }, () => talk().catch(failed.reject));
  const stop = (): void => {
    isStopped = true;
  };
  const end = async (): Promise<void> => {
    stop();
    await Promise.race([Promise.all(talking), failed.promise]);
  };
  return { had, failed: failed.promise, stop, end };
}

/** A receipt is written once: read again at the end, it is the same. */
async function assertUnchanged(had: readonly HadConversation[]): Promise<void> {
  for (const { chat, receipts } of had) {
    for (const receipt of receipts) assert.deepEqual(await chat.request(receipt.request_id), receipt);
  }
}

async function countFacts(
  databaseUrl: string,
  effects: string,
  had: readonly HadConversation[],
): Promise<Omit<KillFacts, 'kills'>> {
  const store = await openStore({ url: databaseUrl });
  const rows = await store.db.selectFrom('chat_requests').select(['id', 'status']).execute();
  await store.close();
  const lines = (await readFile(effects, 'utf8')).trimEnd().split('\n');
  const unknown = new Set(had.flatMap(({ unknownCalls }) => unknownCalls));
  const missing = had.length - new Set(lines).size - unknown.size;
  assert(missing <= 0, `${missing} calls have neither an effect nor the message that it is unknown`);
  return {
    requests: had.length * 2,
    receipts: rows.filter(({ status }) => status === 'succeeded').length,
    effects: lines.length,
    effectsTwice: lines.length - new Set(lines).size,
    unknownCalls: unknown.size,
    rowsWithoutEnd: rows.filter(({ status }) => status !== 'succeeded').length,
  };
}
