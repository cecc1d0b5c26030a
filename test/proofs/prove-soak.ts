/** Proof by load: turns for a fixed time, with the server's resident memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { COUNT, submit } from '../server/answers.ts';
import { patientClient } from './proof-conversation.ts';
import { startProofServer } from './proof-server.ts';

const CLIENTS = 16;
const format = { type: 'json_schema', json_schema: { name: 'count', schema: { ...COUNT } } } as const;

/** Options of the soak. */
export interface SoakOptions {
  readonly forMs: number;
  /** Time between two samples of the memory. */
  readonly sampleMs: number;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly onSample?: (sample: MemorySample) => void;
}

/** Resident memory at a time. */
export interface MemorySample {
  readonly atMs: number;
  readonly turns: number;
  readonly residentBytes: number;
}

/** Counted turns, and the memory over time. */
export interface SoakFacts {
  readonly turns: number;
  readonly samples: readonly MemorySample[];
}

/** Each client creates a chat with a format, reads its receipt, and begins anew. */
export async function proveSoak(options: SoakOptions): Promise<SoakFacts> {
  const { databaseUrl, folder, forMs, sampleMs, onSample } = options;
  await using model = await scriptedModelServer({ script: () => submit('{"output":{"n":1}}') });
  const store = await openStore({ url: databaseUrl });
  const { token } = await issueToken(store, { name: 'proof', owner: 'proof' });
  await store.close();
  const server = await startProofServer({
    databaseUrl,
    modelUrl: model.openaiUrl,
    effects: join(folder, 'effects'),
    cache: join(folder, 'compiled'),
  });
  const client = patientClient(token, () => server.url);
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  const samples: MemorySample[] = [];
  let turns = 0;
  const work = async (): Promise<void> => {
    while (elapsedMs() < forMs) {
      const chat = client.chat();
      const { request_id: id = '' } = await chat.send({ content: 'Count', response_format: format });
      const { status } = await chat.request(id, { waitMs: 30_000 });
      if (status !== 'succeeded') throw new TypeError(`A turn ended as ${status}.`);
      turns += 1;
      // The model records each request, and this process would grow.
      for (const recorded of [model.requests, model.turns]) (recorded as unknown[]).length = 0;
    }
  };
  const sample = async (): Promise<void> => {
    while (elapsedMs() < forMs) {
      await sleep(sampleMs);
      const taken = { atMs: elapsedMs(), turns, residentBytes: await server.memory() };
      samples.push(taken);
      onSample?.(taken);
    }
  };
  try {
    await Promise.all([sample(), ...Array.from({ length: CLIENTS }, work)]);
  } finally {
    await server.kill();
  }
  return { turns, samples };
}
