/** Process that executes many runs: as a worker of the queue, or as one batch. Takes `QueuedRunsRequest`s. */
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { isDeadWorker, nameWorker } from '../../packages/server/src/runner/workers/worker-name.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE, startRunWorker } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import type { HandedResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { expectRight } from '../harness/expect-right.ts';
import { processorTime } from '../harness/processor-time.ts';
import { QUEUED_PROMPT, type OpenRuns, type QueuedRunsReply, type QueuedRunsRequest } from './queued-runs.ts';

/** The parts of a contestant. */
interface Contestant {
  start(runs: number): Promise<void>;
  /** Returns the number of claims without a run. */
  end(): Promise<number>;
}

async function openWorker(
  { repository, places }: OpenRuns,
  { databaseUrl, limit }: NonNullable<OpenRuns['queue']>,
): Promise<Contestant> {
  const store = await openStore({ url: databaseUrl });
  const queue = await openJobQueue({ store, queues: [RUN_QUEUE] });
  const executor = await openExecutor({
    repositories: { web: { path: repository } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', places },
  });
  if (executor === undefined) throw new TypeError('The configuration has no `runs`.');
  const machine = createRunMachine({ store, isDeadWorker, limits: { perRepository: limit } });
  let close = (): Promise<number> => Promise.resolve(0);
  return {
    async start() {
      const onFault = (message: string, cause: unknown): void => console.error(message, cause);
      const ports = { machine, executor, queue, worker: nameWorker(), isDeadWorker, onFault };
      const worker = await startRunWorker(ports);
      close = async () => {
        await worker.close();
        return worker.refusals;
      };
    },
    async end() {
      const refusals = await close();
      await queue.close();
      await store.close();
      return refusals;
    },
  };
}

function openBatch({ repository: cwd, places: concurrency }: OpenRuns): Contestant {
  const output = Output.object({ schema: z.object({ answer: z.number() }) });
  const shared = { agent: claudeCode(), sandbox: bubblewrap({ egress: 'none' }), cwd, output } as const;
  return {
    async start(runs) {
      const inputs = Array.from({ length: runs }, (_item, id) => ({ id }));
      const logging = { type: 'file' } as const;
      const onResult = (result: HandedResult): void => {
        if (result.status !== 'ok') console.error(JSON.stringify(result));
      };
      const batch = { ...shared, inputs, prompt: QUEUED_PROMPT, concurrency, logging, onResult };
      const { ok } = await runBatch(batch);
      expectRight('runBatch()', ok, runs);
    },
    end: () => Promise.resolve(0),
  };
}

let contestant: Contestant | undefined;

async function reply(request: QueuedRunsRequest): Promise<QueuedRunsReply> {
  let refusals = 0;
  if (request.type === 'open') {
    contestant = request.queue === undefined ? openBatch(request) : await openWorker(request, request.queue);
  } else if (request.type === 'start') await contestant?.start(request.runs);
  else refusals = (await contestant?.end()) ?? 0;
  return { refusals, cpuMs: processorTime() };
}

process.on('disconnect', () => process.exit());
process.on('message', (request: QueuedRunsRequest) => {
  reply(request).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
