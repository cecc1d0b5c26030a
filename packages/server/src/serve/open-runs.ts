/** Opens the machine of agent runs, and its worker in a process that executes runs. */
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import type { Store } from '@truecast/store/internal/database/store';
import type { ObservedRun, RemovedRemains } from '../contract/observed-work.ts';
import { isDeadWorker, nameWorker } from '../runner/workers/worker-name.ts';
import type { AgentExecutor, RunOffers } from '../runs/agent-executor.ts';
import type { ClaimLimits } from '../runs/claim-order.ts';
import { createRunMachine, type RunMachine } from '../runs/state/run-machine.ts';
import { enqueueTry, startWebhooks } from '../runs/webhooks/deliver-webhooks.ts';
import { webhookKeyIn } from '../runs/webhooks/sign-webhook.ts';
import { RUN_QUEUE, startRunWorker } from '../runs/workers/run-scheduler.ts';
import { keptDaysOf, type BudgetSettings } from '../config/run-settings.ts';
import type { OwnerBudget } from '../runs/state/run-context.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Closer } from './closers.ts';
import type { RepositoriesPlace } from './runs/open-repositories.ts';

export interface OpenRunsOptions {
  readonly store: Store;
  /** Has `WEBHOOK_QUEUE`, and `RUN_QUEUE` if there is an executor. */
  readonly queue: JobQueue;
  readonly config: Pick<ServerConfig, 'runs' | 'repositories'>;
  /** Has the credentials of repositories, and the key of the secrets of webhooks. */
  readonly environment: NonNullable<RepositoriesPlace['environment']>;
  /** Grace period for agents to stop when the worker closes. */
  readonly closeTimeoutMs: number;
  readonly onFault: (message: string, cause: unknown) => void;
  readonly onRunEnd: (run: ObservedRun) => void;
  readonly onCleanUp: (removed: RemovedRemains) => void;
}

const DAY_MS = 86_400_000;

/** The runs of a process. */
export interface OpenRuns {
  readonly agentRuns: RunMachine;
  /** Runs that a client can create here. Undefined without an executor. */
  readonly runOffers?: RunOffers;
  readonly folderOf?: AgentExecutor['folderOf'];
}

/**
 * Opens the runs. The store and the queue must outlive the worker.
 *
 * @throws UsageError for an agent or a repository that cannot be used
 */
export async function openRuns(
  { store, queue, config, environment, closeTimeoutMs, onFault, onRunEnd, onCleanUp }: OpenRunsOptions,
  closeLater: (closer: Closer) => void,
): Promise<OpenRuns> {
  const executor = await openExecutor(config, { environment });
  const webhookKey = webhookKeyIn(environment);
  const { queuedPerOwner, perRepository, perAgent, perOwner } = config.runs ?? {};
  const claimLimits: ClaimLimits = { perRepository, perAgent, perOwner };
  const agentRuns = createRunMachine({
    store,
    limits: claimLimits,
    dayBudget: toDayBudget(config.runs?.budgets?.perOwnerPerDay),
    queuedPerOwner,
    isDeadWorker,
    onRunEnd,
    webhookKey,
    announce: (tx, id, notBefore) =>
      enqueueTry(queue, id, { tx, ...(notBefore !== undefined && { notBefore }) }),
    ...(executor !== undefined && {
      deliver: (tx, { id, notBefore }) => {
        const startAfter = notBefore === 0 ? {} : { startAfter: new Date(notBefore) };
        return queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id, ...startAfter }, tx);
      },
    }),
  });
  if (executor === undefined) return { agentRuns };
  if (webhookKey !== undefined) {
    const { webhookPoster } = await import('./runs/post-webhook.ts');
    const post = webhookPoster(config.runs?.webhooks?.allow ?? []);
    closeLater(await startWebhooks({ context: agentRuns.webhooks, queue, post }));
  }
  const worker = await startRunWorker(
    { machine: agentRuns, executor, queue, worker: nameWorker(), isDeadWorker, onFault, onCleanUp },
    { closeTimeoutMs, keepMs: (keptDaysOf(config) ?? Infinity) * DAY_MS },
  );
  closeLater(() => worker.close());
  const budget = config.runs?.budgets?.perRun;
  const { offers, folderOf } = executor;
  return {
    agentRuns,
    runOffers: { ...offers, ...(budget !== undefined && { budget }) },
    ...(folderOf !== undefined && { folderOf }),
  };
}

/**
 * Opens the executor of the configuration. Undefined without `runs`. Loads `run()` only with them.
 *
 * @throws UsageError for an agent or a repository that cannot be used
 */
export async function openExecutor(
  { runs, repositories = {} }: OpenRunsOptions['config'],
  place: RepositoriesPlace = {},
): Promise<AgentExecutor | undefined> {
  if (runs === undefined) return undefined;
  const { sandbox, imageName, egress } = runs;
  const { makeExecutor } = await import('./runs/make-executor.ts');
  const { makeSandbox } = await import('./workspaces.ts');
  const provider = await makeSandbox(sandbox, {
    ...(imageName !== undefined && { imageName }),
    ...(egress !== undefined && { egress }),
  });
  return makeExecutor(runs, { ...place, repositories, sandbox: provider });
}

function toDayBudget(budget: BudgetSettings | undefined): OwnerBudget | undefined {
  if (budget === undefined) return undefined;
  const { tokens, usd: costUsd } = budget;
  return { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) };
}
