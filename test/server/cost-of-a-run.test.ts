/** Cost of a durable run from its claim to its receipt, counted: transactions, statements and programs. */
import { ChildProcess } from 'node:child_process';
import type { KyselyPlugin } from 'kysely';
import { expect, onTestFinished, vi } from 'vitest';
import { createRunMachine, type RunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE, startRunWorker } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { printResult } from '../fake-claude.ts';
import { installFakeClaude } from '../install-fake-claude.ts';
import { makeRepository } from '../run/fixture.ts';
import { claimRun } from './claimed-run.ts';

/** Claim, start of the agent, answer and receipt. */
const PINNED = { transactions: 4, statements: 30, programs: 11 };
/** A claim that finds no run. */
const REFUSED = { transactions: 0, statements: 1 };
/** Postgres locks the claims. */
const LOCKS = { sqlite: 0, postgres: 1 };
const RUNS = 3;
/** Of an execution's events. */
const JOIN_MS = 250;
/** Nothing of the clock is part of a run. */
const NEVER_MS = 1_000_000;
const TIMEOUT_MS = 300_000;
const SOON = { interval: 5, timeout: 60_000 };

type StoreCost = Record<'transactions' | 'statements', number>;

/** Counts what goes through the store. */
function counted(store: Store, costNow: () => StoreCost): Store {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      costNow().statements += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return {
    ...store,
    db: store.db.withPlugin(plugin),
    transaction: (work) => {
      costNow().transactions += 1;
      return store.transaction((tx) => work({ ...tx, db: tx.db.withPlugin(plugin) }));
    },
  };
}

/**
 * Cost of a run, without claims that find no run: a second hint can cause such a claim at any time. No run is executed
 * during a claim, because there is one place.
 */
class RunCost {
  /** Cost of each claim that found no run. */
  readonly refused: StoreCost[] = [];
  #run: StoreCost = { transactions: 0, statements: 0 };
  #claim: StoreCost | undefined;

  readonly now = (): StoreCost => this.#claim ?? this.#run;

  /** Returns the cost, and starts again at zero. */
  take(): StoreCost {
    const taken = this.#run;
    this.#run = { transactions: 0, statements: 0 };
    return taken;
  }

  of(machine: RunMachine): RunMachine {
    const claimNext: RunMachine['claimNext'] = async (claim) => {
      const own = (this.#claim = { transactions: 0, statements: 0 });
      const held = await machine.claimNext(claim).finally(() => (this.#claim = undefined));
      if (held === undefined) this.refused.push(own);
      else this.#run = own;
      return held;
    };
    return { ...machine, claimNext };
  }
}

describeOnBothStores('a durable run', ({ open, dialect }) => {
  itInBubblewrap(
    'needs exactly the pinned work from its claim to its receipt',
    { timeout: TIMEOUT_MS },
    async () => {
      // Equal commits of two runs within a second would need one more program, which finds their owner.
      const work = 'date +%s%N > b.txt && git add b.txt && git commit -q -m work';
      installFakeClaude(work, printResult({ structured_output: { answer: 42 } }));
      const executor = await openExecutor({
        repositories: { web: { path: makeRepository() } },
        runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', places: 1 },
      });
      const store = await open();
      const cost = new RunCost();
      let refusedBefore = 0;
      const timeout = globalThis.setTimeout;
      vi.spyOn(globalThis, 'setTimeout').mockImplementation(
        // A busy machine takes longer than events and notes wait for the next commit.
        (work: () => void, ms?: number) => timeout(work, ms === JOIN_MS ? NEVER_MS : ms),
      );
      onTestFinished(() => void vi.restoreAllMocks());
      const spawn = vi.spyOn(ChildProcess.prototype as unknown as { spawn: () => void }, 'spawn');
      const queue = await openJobQueue({ store, queues: [RUN_QUEUE] });
      let ended = Promise.withResolvers<void>();
      const onRunEnd = (): void => {
        refusedBefore = cost.refused.length;
        ended.resolve();
      };
      const machine = cost.of(createRunMachine({ store: counted(store, cost.now), onRunEnd }));
      const client = createRunMachine({
        store,
        deliver: (tx, { id }) => queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id }, tx),
      });
      const worker = await startRunWorker(
        {
          machine,
          executor: executor!,
          queue,
          worker: 'w1',
          isDeadWorker: () => false,
          onFault: (message, cause) => expect.unreachable(`${message} ${String(cause)}`),
        },
        { sweepMs: NEVER_MS, heartbeatMs: NEVER_MS },
      );
      const costs: unknown[] = [];
      while (costs.length < RUNS) {
        cost.take();
        spawn.mockClear();
        const { request, owner } = claimRun();
        const { id } = await client.createRun({ owner, request, schemaHash: 'a'.repeat(64) });
        await ended.promise;
        ended = Promise.withResolvers();
        // The place looks for a further run.
        await vi.waitFor(() => expect(cost.refused.length).toBeGreaterThan(refusedBefore), SOON);
        costs.push({ ...cost.take(), programs: spawn.mock.calls.length });
        expect(await client.readRun({ owner, runId: id })).toMatchObject({ status: 'succeeded' });
        const events = await client.listRunEvents({ runId: id, after: 0, limit: 100 });
        const shown = events.flatMap(({ data }) => {
          const { type, status, phase } = JSON.parse(data) as Record<string, string>;
          return type === 'status' ? [phase ?? status] : [];
        });
        expect(shown).toEqual(['preparing', 'working', 'answered', 'settled', 'succeeded']);
        expect(events.at(-1)?.data).toContain('"type":"receipt"');
      }
      await worker.close();
      await queue.close();
      // The first run reads what later ones know.
      const pinned = { ...PINNED, statements: PINNED.statements + LOCKS[dialect] };
      expect(costs.slice(1)).toEqual([pinned, pinned]);
      expect(cost.refused).toEqual(cost.refused.map(() => REFUSED));
    },
  );
});
