/**
 * Proof by a crowd: many people ask at the same moment, and their times are compared with those of one
 * person on the same server. Each person is an owner with one token and the default limits.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../packages/client/src/create-client.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { COUNT, submit } from '../server/answers.ts';
import { patientClient } from './proof-conversation.ts';
import { startProofServer } from './proof-server.ts';

const format = { type: 'json_schema', json_schema: { name: 'count', schema: { ...COUNT } } } as const;
/** Times of one person before each crowd. */
const ALONE = 3;

/** Options of the proof. */
export interface CrowdOptions {
  readonly people: number;
  /** Time of the model for each answer. `all`: it answers after it was called for each person. */
  readonly modelMs: number | 'all';
  /** Crowds, one after the other. */
  readonly rounds: number;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly onRound?: (round: CrowdRound) => void;
}

/** One crowd, and one person before it. */
export interface CrowdRound {
  readonly aloneMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Calls of the model that ran at the same time. */
  readonly atOnce: number;
  readonly succeeded: number;
  /** Processor time of the server for each person. */
  readonly processorMs: number;
}

/** Plays the crowds. The first ones compile the server. */
export async function proveCrowd(options: CrowdOptions): Promise<readonly CrowdRound[]> {
  const { people, modelMs, rounds, databaseUrl, folder, onRound } = options;
  const model = slowModel(modelMs);
  await using service = await scriptedModelServer({
    script: async () => {
      await model.answerAfterTime();
      return submit('{"output":{"n":1}}');
    },
  });
  const tokens = await issueTokens(databaseUrl, people);
  const server = await startProofServer({
    databaseUrl,
    modelUrl: service.openaiUrl,
    effects: join(folder, 'effects'),
    cache: join(folder, 'compiled'),
    hasDefaultLimits: true,
  });
  const clients = tokens.map((token) => patientClient(token, () => server.url));
  const played: CrowdRound[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const alone: Asked[] = [];
      for (const client of clients.slice(0, ALONE)) {
        model.expect(1);
        alone.push(await ask(client));
      }
      model.expect(people);
      const beforeMs = await server.processorMs();
      const asked = await Promise.all(clients.map(ask));
      const times = asked.map(({ ms }) => ms);
      const facts = {
        aloneMs: shareOf(
          alone.map(({ ms }) => ms),
          0.5,
        ),
        p50Ms: shareOf(times, 0.5),
        p95Ms: shareOf(times, 0.95),
        maxMs: shareOf(times, 1),
        atOnce: model.atOnce(),
        succeeded: asked.filter(({ status }) => status === 'succeeded').length,
        processorMs: ((await server.processorMs()) - beforeMs) / people,
      };
      played.push(facts);
      onRound?.(facts);
      // The service records each request.
      for (const recorded of [service.requests, service.turns]) (recorded as unknown[]).length = 0;
    }
  } finally {
    await server.kill();
  }
  return played;
}

/** A model that needs time, and counts its calls at the same time. */
function slowModel(modelMs: CrowdOptions['modelMs']) {
  let [expected, running, most] = [1, 0, 0];
  let everyone = Promise.withResolvers<void>();
  return {
    expect: (calls: number): void => {
      [expected, most] = [calls, 0];
      everyone = Promise.withResolvers();
    },
    atOnce: () => most,
    answerAfterTime: async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      if (running === expected) everyone.resolve();
      await (modelMs === 'all' ? everyone.promise : sleep(modelMs));
      running -= 1;
    },
  };
}

async function issueTokens(databaseUrl: string, people: number): Promise<readonly string[]> {
  const store = await openStore({ url: databaseUrl });
  try {
    const names = Array.from({ length: people }, (_, index) => `person-${index}`);
    const issued = names.map(async (name) => issueToken(store, { name, owner: name }));
    return (await Promise.all(issued)).map(({ token }) => token);
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly ms: number;
  readonly status: string;
}

/** Sends a question with a format, and waits for its receipt, as a person does. */
async function ask(client: Client): Promise<Asked> {
  const startedMs = performance.now();
  const chat = client.chat();
  const { request_id: id = '' } = await chat.send({ content: 'Count', response_format: format });
  const { status } = await chat.request(id, { waitMs: 60_000 });
  return { ms: performance.now() - startedMs, status };
}

/** Returns the value below which a share of the values is. */
function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
