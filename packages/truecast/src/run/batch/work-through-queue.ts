/**
 * Worker pool of a batch.
 *
 * claim → run → complete | fail → claim …; when the batch is ended: release, and no more claims
 */
import { CwdError, UsageError } from '@truecast/core/internal/errors/usage-error';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import type { Repository } from '../../git/repository/repository.ts';
import type { SharedBudget } from '../accounting/shared-budget.ts';
import type { AnyRunResult } from '../options/read-only.ts';
import type { BatchAccount } from './batch-account.ts';
import type { BatchItem, BatchQueue, BatchResult } from './batch-queue.ts';
import { toFailure, toSuccess, type WorkedOn } from './batch-result.ts';
import type { BatchTemplate } from './batch-template.ts';
import type { RunEvent } from '../events/run-events.ts';
import { itemOptionsOf, variesByItem } from './item-options.ts';
import { createItemPlace, type BegunItem, type ItemPlace } from './item-place.ts';
import type { ItemLandings } from './land-items.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';

/** State shared by the workers of a batch. */
export interface BatchWork {
  readonly normalized: NormalizedBatchOptions;
  readonly template: BatchTemplate;
  /** Undefined if each item has its own. */
  readonly repository: Repository | undefined;
  readonly queue: BatchQueue;
  readonly account: BatchAccount;
  /** Undefined if the batch merges nothing. */
  readonly landings: ItemLandings | undefined;
  /** Budget of all runs together. */
  readonly budget: SharedBudget | undefined;
  /** Ends the batch, with the reason of the abort. */
  readonly stop: AbortController;
}

/**
 * Runs items until the queue is empty or the batch is ended. Resolves when every worker has
 * stopped.
 */
export async function workThroughQueue(work: BatchWork): Promise<void> {
  const workers = Array.from({ length: work.normalized.batch.concurrency }, () => workOn(work));
  await Promise.all(workers);
  await work.landings?.settle();
}

async function workOn(work: BatchWork): Promise<void> {
  const { queue, stop } = work;
  const place = createItemPlace({ ...work, signal: stop.signal });
  try {
    while (!stop.signal.aborted) {
      const item = await queue.claim(stop.signal);
      if (item === undefined) return;
      await workOnItem(work, place, item);
    }
  } catch (error) {
    // A failing queue or results file ends the batch, because further results would be lost.
    stop.abort(error);
  } finally {
    await place.close().catch((error: unknown) => stop.abort(error));
  }
}

async function workOnItem(work: BatchWork, place: ItemPlace, item: BatchItem): Promise<void> {
  const { account, landings } = work;
  account.begin(item.key);
  tellProgress(work);
  const result = await resultOf(work, place, item);
  if (landings === undefined || result?.status !== 'ok' || result.merged === true || !hasBranch(result)) {
    return endItem(work, item, result);
  }
  account.land(item.key);
  tellProgress(work);
  await landings.add(item, result, (landed) => endItem(work, item, landed));
}

function hasBranch({ branch, commits }: BatchResult): boolean {
  return branch !== undefined && commits.length > 0;
}

/** Stores a result. Without one, the item returns to the queue. */
async function endItem(work: BatchWork, item: BatchItem, result: BatchResult | undefined): Promise<void> {
  const { queue, account, landings } = work;
  if (result === undefined) {
    account.drop(item.key);
    await queue.release(item);
    return;
  }
  await (result.status === 'failed' ? queue.fail(item, result) : queue.complete(item, result));
  landings?.forget(item);
  const spent = account.end(result);
  await work.normalized.batch.onResult?.({ ...result, input: item.input });
  tellProgress(work, result);
  if (spent !== undefined) work.stop.abort(spent);
}

/** Returns undefined if the batch was ended before the item. */
async function resultOf(
  work: BatchWork,
  place: ItemPlace,
  item: BatchItem,
): Promise<BatchResult | undefined> {
  const { stop } = work;
  const startedAt = new Date();
  const startedMs = performance.now();
  let cwd: string | undefined;
  const worked = (): WorkedOn => ({ item, startedAt, durationMs: performance.now() - startedMs, cwd });
  try {
    const own = itemOptionsOf(work.normalized, item);
    if (work.normalized.batch.perItem.cwd !== undefined) ({ cwd } = own);
    const recalled = await work.landings?.recall(item);
    if (recalled !== undefined) return recalled;
    const result = await runItem(work, place, { item, own });
    const line = toSuccess(worked(), result, work.normalized.run.output);
    await place.settle(result);
    return line;
  } catch (error) {
    if (InterruptedError.isInstance(error) || isRefusalOfAll(work, error)) stop.abort(error);
    if (stop.signal.aborted) return undefined;
    const line = toFailure(worked(), error);
    await place.settle(undefined);
    return line;
  }
}

/**
 * Returns true for a usage error before any result. It would occur with every item, unless it is about
 * options of one.
 */
function isRefusalOfAll({ account, normalized }: BatchWork, error: unknown): boolean {
  if (variesByItem(normalized)) return false;
  const { ok, question, declined, failed } = account.summary();
  return (
    ok + question + declined + failed === 0 && (UsageError.isInstance(error) || CwdError.isInstance(error))
  );
}

async function runItem(
  { account, stop, normalized }: BatchWork,
  place: ItemPlace,
  begun: BegunItem,
): Promise<AnyRunResult> {
  const { item } = begun;
  const { running } = await place.begin(begun);
  const watching = watch(running, (event) => {
    tellEvent(normalized.batch.onEvent, event, item);
    const spent = account.see(item.key, event);
    if (spent !== undefined) stop.abort(spent);
  });
  const [result] = await Promise.all([running, watching]);
  return result;
}

async function watch<TEvent>(events: AsyncIterable<TEvent>, see: (event: TEvent) => void): Promise<void> {
  for await (const event of events) see(event);
}

function tellEvent(
  onEvent: NormalizedBatchOptions['batch']['onEvent'],
  event: RunEvent,
  item: BatchItem,
): void {
  try {
    onEvent?.(event, item);
  } catch {
    // A listener's error must not end the batch.
  }
}

function tellProgress({ normalized, account }: BatchWork, result?: BatchResult): void {
  try {
    normalized.batch.onProgress?.(account.progress(result));
  } catch {
    // A listener's error must not end the batch.
  }
}
