/** State machine of agent runs: every change and every read of runs over one store. */
import { randomUUID } from 'node:crypto';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import { RecentOwners } from '../../state/rows/recent-owners.ts';
import * as deliveries from '../webhooks/deliveries.ts';
import type { WebhookContext } from '../webhooks/deliveries.ts';
import * as batches from './batches.ts';
import { claimNext, claimWaits } from './claim-run.ts';
import { auditCleanUp, cleanableRuns } from './cleanable-runs.ts';
import { cancelLeftRuns } from './left-runs.ts';
import * as changes from './run-changes.ts';
import type { DueRun, AgentRunContext, RunSettings } from './run-context.ts';
import { runHints, type RunHints } from './run-hints.ts';
import * as reads from './run-reads.ts';
import * as work from './run-work.ts';
import * as workers from './run-workers.ts';

type Change<T> = T extends (context: AgentRunContext, ...rest: infer TRest) => infer TResult
  ? (...rest: TRest) => TResult
  : never;
type Webhook<T> = T extends (context: WebhookContext, ...rest: infer TRest) => infer TResult
  ? (...rest: TRest) => TResult
  : never;
type Read<T> = T extends (db: never, ...rest: infer TRest) => infer TResult
  ? (...rest: TRest) => TResult
  : never;

/**
 * Every change and read of runs. Changes are atomic. They throw `ChatStateError` if they are not allowed, and
 * `RequestRefusedError` for a run that does not exist.
 */
export interface RunMachine extends RunHints {
  readonly createRun: Change<typeof changes.createRun>;
  readonly patchRun: Change<typeof changes.patchRun>;
  readonly deleteRun: Change<typeof changes.deleteRun>;
  readonly requestCancel: Change<typeof changes.requestCancel>;
  readonly expireRun: Change<typeof changes.expireRun>;
  readonly expireRuns: Change<typeof changes.expireRuns>;
  readonly createBatch: Change<typeof batches.createBatch>;
  readonly addItems: Change<typeof batches.addItems>;
  readonly closeBatch: Change<typeof batches.closeBatch>;
  readonly cancelBatch: Change<typeof batches.cancelBatch>;
  readonly cancelBatchRuns: Change<typeof batches.cancelBatchRuns>;
  readonly cancelLeftRuns: Change<typeof cancelLeftRuns>;
  readonly readBatch: Read<typeof batches.readBatch>;
  readonly waitForResults: (
    wait: Parameters<typeof batches.waitForResults>[2],
  ) => ReturnType<typeof batches.waitForResults>;
  readonly claimNext: Change<typeof claimNext>;
  readonly claimWaits: Change<typeof claimWaits>;
  readonly note: Change<typeof work.noteRun>;
  readonly endRun: Change<typeof work.endRun>;
  readonly endLost: Change<typeof work.endLost>;
  readonly endCanceling: Change<typeof work.endCanceling>;
  readonly leave: Change<typeof work.leaveRun>;
  readonly takeOver: Change<typeof work.takeOverRun>;
  readonly beat: Change<typeof workers.beat>;
  readonly liveWorkers: Change<typeof workers.liveWorkers>;
  readonly signOff: Change<typeof workers.signOff>;
  readonly forgetWorkers: Change<typeof workers.forgetWorkers>;
  readonly heldByWorkers: Read<typeof workers.heldByWorkers>;
  readonly cleanableRuns: Change<typeof cleanableRuns>;
  readonly auditCleanUp: Change<typeof auditCleanUp>;
  readonly readRun: Read<typeof reads.readRun>;
  readonly listRuns: Read<typeof reads.listRuns>;
  readonly ownIds: Read<typeof reads.ownIds>;
  readonly changedRuns: Read<typeof reads.changedRuns>;
  readonly listExecutions: Read<typeof reads.listExecutions>;
  readonly listRunEvents: Read<typeof reads.listRunEvents>;
  readonly readBlob: Read<typeof reads.readBlob>;
  readonly listArtifacts: Read<typeof reads.listArtifacts>;
  readonly artifactsOf: Read<typeof reads.artifactsOf>;
  readonly readArtifact: Read<typeof reads.readArtifact>;
  readonly runsOfWorker: Read<typeof reads.runsOfWorker>;
  readonly listDeliveries: Read<typeof deliveries.listDeliveries>;
  readonly redeliver: Webhook<typeof deliveries.redeliver>;
  readonly readSecrets: Webhook<typeof deliveries.readSecrets>;
  readonly rotateSecret: Webhook<typeof deliveries.rotateSecret>;
  /** For the sender of webhooks. */
  readonly webhooks: WebhookContext;
  readonly waitForRun: (wait: Parameters<typeof reads.waitForRun>[2]) => ReturnType<typeof reads.waitForRun>;
}

export function createRunMachine(settings: RunSettings): RunMachine {
  const { store } = settings;
  const context = toContext(settings);
  const webhooks: WebhookContext = context;
  const hints = runHints(store.notifications);
  return {
    webhooks,
    listDeliveries: (run) => deliveries.listDeliveries(store.db, run),
    redeliver: (delivery) => deliveries.redeliver(webhooks, delivery),
    readSecrets: (owner) => deliveries.readSecrets(webhooks, owner),
    rotateSecret: (owner) => deliveries.rotateSecret(webhooks, owner),
    createRun: (run) => changes.createRun(context, run),
    patchRun: (patch) => changes.patchRun(context, patch),
    deleteRun: (run) => changes.deleteRun(context, run),
    requestCancel: (run) => changes.requestCancel(context, run),
    expireRun: (runId) => changes.expireRun(context, runId),
    expireRuns: () => changes.expireRuns(context),
    createBatch: (batch) => batches.createBatch(context, batch),
    addItems: (batch) => batches.addItems(context, batch),
    closeBatch: (batch) => batches.closeBatch(context, batch),
    cancelBatch: (batch) => batches.cancelBatch(context, batch),
    cancelBatchRuns: () => batches.cancelBatchRuns(context),
    cancelLeftRuns: () => cancelLeftRuns(context),
    readBatch: (batch) => batches.readBatch(store.db, batch),
    waitForResults: (wait) => batches.waitForResults(store.db, store.notifications, wait),
    claimNext: (claim) => claimNext(context, claim),
    claimWaits: () => claimWaits(context),
    note: (fence, note) => work.noteRun(context, fence, note),
    endRun: (fence, ending, last) => work.endRun(context, fence, ending, last),
    endLost: (fence, loss) => work.endLost(context, fence, loss),
    endCanceling: (run) => work.endCanceling(context, run),
    leave: (fence, outcome, last) => work.leaveRun(context, fence, outcome, last),
    takeOver: (options) => work.takeOverRun(context, options),
    beat: (worker, offers) => workers.beat(context, worker, offers),
    liveWorkers: () => workers.liveWorkers(context),
    signOff: (worker) => workers.signOff(context, worker),
    forgetWorkers: () => workers.forgetWorkers(context),
    heldByWorkers: () => workers.heldByWorkers(store.db),
    cleanableRuns: (ids) => cleanableRuns(context, ids),
    auditCleanUp: (removed) => auditCleanUp(context, removed),
    readRun: (run) => reads.readRun(store.db, run),
    listRuns: (query) => reads.listRuns(store.db, query),
    ownIds: (query) => reads.ownIds(store.db, query),
    changedRuns: (query) => reads.changedRuns(store.db, query),
    listExecutions: (runId) => reads.listExecutions(store.db, runId),
    listRunEvents: (query) => reads.listRunEvents(store.db, query),
    readBlob: (blob) => reads.readBlob(store.db, blob),
    listArtifacts: (run) => reads.listArtifacts(store.db, run),
    artifactsOf: (runId) => reads.artifactsOf(store.db, runId),
    readArtifact: (artifact) => reads.readArtifact(store.db, artifact),
    runsOfWorker: (worker) => reads.runsOfWorker(store.db, worker),
    waitForRun: (wait) => reads.waitForRun(store.db, hints, wait),
    ...hints,
  };
}

const QUEUED_PER_OWNER = 10_000;

function toContext(settings: RunSettings): AgentRunContext {
  return {
    now: Date.now,
    newId: randomUUID,
    limits: {},
    dayBudget: undefined,
    isDeadWorker: () => false,
    onRunEnd: () => undefined,
    deliver: async (_tx: StoreTransaction, _run: DueRun) => {},
    announce: async () => {},
    webhookKey: undefined,
    ...settings,
    queuedPerOwner: settings.queuedPerOwner ?? QUEUED_PER_OWNER,
    usage: { prefix: 'runs ', quotas: settings.dayBudget && { period: 'day', perOwner: settings.dayBudget } },
    hasDatabaseClock: settings.now === undefined && settings.store.dialect === 'postgres',
    recentOwners: new RecentOwners(),
  };
}
