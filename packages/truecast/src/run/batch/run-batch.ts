/**
 * `runBatch()`: runs one prompt over many inputs with limited concurrency, and stores each result
 * at once.
 */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { readHostTools } from '../prepare/read-host-tools.ts';
import type { WithTools } from '../options/run-options.ts';
import { openOnly, openReadable } from '../../git/repository/folder-copy.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { SharedBudget } from '../accounting/shared-budget.ts';
import { createSpendLedger } from '../accounting/spend-ledger.ts';
import { createBatchAccount, toBatchError } from './batch-account.ts';
import type { BatchOptions, BatchOptionsWithOutput, BatchSummary } from './batch-options.ts';
import { toBatchPromise, type BatchPromise } from './batch-promise.ts';
import { openBatchTemplate, type BatchTemplate } from './batch-template.ts';
import { createInProcessQueue } from './in-process-queue.ts';
import { itemOptionsOf } from './item-options.ts';
import { openItemLandings, type ItemLandings } from './land-items.ts';
import { landingsOfRepositories } from './landings-of-repositories.ts';
import { normalizeBatchOptions, type NormalizedBatchOptions } from './normalize-batch-options.ts';
import { hash, readBatchInputs, type ItemIdentity } from './read-batch-inputs.ts';
import { lockResults, openResultsFile, type ResultsFile } from './results-file.ts';
import { workThroughQueue } from './work-through-queue.ts';

/**
 * Runs one prompt over many inputs, each in a separate worktree and branch, and stores every result
 * when it ends. The promise is also an async iterable of the results, as they are stored.
 *
 * All inputs of a file are validated before the first run. With `out`, a second start runs only the
 * missing items. An item is identified by its input, the prompt, the output and the agent. A change
 * of any of them runs the item again. Inputs are read on demand. An error of a single item is a
 * failed result. An error that affects all items, an exceeded budget or an abort ends the batch.
 * Results stored until then are kept.
 *
 * @throws UsageError before the first run; LimitError `tokens` or `money`; InterruptedError;
 *   RepositoryError `locked` while another batch writes to `out`; the signal's reason on abort
 *
 * @example
 * ```ts
 * const batch = runBatch({
 *   inputs: 'issues.jsonl', // {"id":1,"TITLE":"…"}
 *   prompt: 'Is this issue a bug? {{TITLE}} Answer in <result>.',
 *   output: Output.object({ tag: 'result', schema: z.object({ isBug: z.boolean() }) }),
 *   agent: claudeCode('claude-haiku-4-5'),
 *   sandbox: bubblewrap(),
 *   out: 'answers.jsonl',
 * });
 * for await (const result of batch)
 *   console.log(result.id, result.status === 'ok' ? result.output.isBug : result.error.code);
 * const { ok, failed } = await batch;
 * ```
 */
export function runBatch<TInputs>(options: WithTools<BatchOptions, TInputs>): BatchPromise;
export function runBatch<TDefinition extends AnyOutputDefinition, TInputs = Readonly<Record<string, never>>>(
  options: BatchOptionsWithOutput<TDefinition, TInputs>,
): BatchPromise<InferOutput<TDefinition>>;
export function runBatch(options: BatchOptions): BatchPromise;
export function runBatch(options: BatchOptions): BatchPromise {
  return toBatchPromise(options, workAll);
}

async function workAll(options: BatchOptions): Promise<BatchSummary> {
  const normalized = normalizeBatchOptions(options);
  options.signal?.throwIfAborted();
  // An invalid tool would fail each item.
  await readHostTools(options.tools);
  const open = normalized.batch.readOnly ? openReadable : openOnly;
  const { repository, isCopy, remove } =
    normalized.batch.perItem.cwd === undefined
      ? await open(resolve(normalized.cwd), { timeoutMs: normalized.gitTimeoutMs })
      : { repository: undefined, isCopy: false, remove: () => Promise.resolve() };
  try {
    const template = await openBatchTemplate(normalized);
    try {
      // All items work on one copy.
      const cwd = isCopy && repository !== undefined ? repository.topLevel : normalized.cwd;
      const placed = { ...normalized, cwd };
      return await workWithResults(placed, template, repository);
    } finally {
      await template.remove();
    }
  } finally {
    await remove();
  }
}

async function workWithResults(
  normalized: NormalizedBatchOptions,
  template: BatchTemplate,
  repository: Repository | undefined,
): Promise<BatchSummary> {
  const { inputs, out } = normalized.batch;
  const identity: ItemIdentity = {
    promptKeys: template.keys,
    fingerprint: await fingerprintOf(normalized, template),
  };
  let total: number | undefined;
  // Reports an invalid line immediately, not after hours of work.
  if (typeof inputs === 'string') {
    total = await count(readBatchInputs(inputs, identity), (item) => itemOptionsOf(normalized, item));
  }
  const lock = out === undefined ? undefined : await lockResults(out);
  try {
    const results = out === undefined ? undefined : await openResultsFile(out);
    try {
      return await work({ normalized, template, repository, identity, total, results });
    } finally {
      await results?.close();
    }
  } finally {
    await lock?.release();
  }
}

interface Prepared {
  readonly normalized: NormalizedBatchOptions;
  readonly template: BatchTemplate;
  readonly repository: Repository | undefined;
  readonly identity: ItemIdentity;
  readonly total: number | undefined;
  readonly results: ResultsFile | undefined;
}

async function work({
  normalized,
  template,
  repository,
  identity,
  total,
  results,
}: Prepared): Promise<BatchSummary> {
  const { batch, run } = normalized;
  const account = createBatchAccount({
    total,
    usage: results?.usage,
    budget: run.budget,
    prices: run.budget?.prices,
  });
  const queue =
    batch.queue ??
    createInProcessQueue({
      items: readBatchInputs(batch.inputs ?? [], identity),
      results,
      retriesFailed: batch.retryFailed,
      onSkip: account.skip,
    });
  const stop = new AbortController();
  // Each run of the batch adds a listener.
  setMaxListeners(0, stop.signal);
  const onAbort = (): void => stop.abort(run.signal?.reason);
  run.signal?.addEventListener('abort', onAbort, { once: true });
  if (run.signal?.aborted === true) onAbort();
  const spend =
    run.budget &&
    createSpendLedger({
      budget: run.budget,
      prices: run.budget?.prices,
      charged: results?.usage,
      onSpent: (error) =>
        stop.abort(toBatchError(error, { budget: run.budget, usage: account.summary().usage })),
    });
  try {
    const budget = spend && new SharedBudget(spend);
    const landings = await openLandings({ normalized, repository, stop });
    await workThroughQueue({ normalized, template, repository, queue, account, stop, budget, landings });
  } finally {
    run.signal?.removeEventListener('abort', onAbort);
  }
  stop.signal.throwIfAborted();
  return account.summary();
}

function openLandings({
  normalized,
  repository,
  stop,
}: Pick<Prepared, 'normalized' | 'repository'> & { readonly stop: AbortController }): Promise<
  ItemLandings | undefined
> {
  const { batch, cwd } = normalized;
  if (repository !== undefined) return openItemLandings({ normalized, cwd, repository, stop });
  return Promise.resolve(
    batch.branchStrategy === undefined ? undefined : landingsOfRepositories({ normalized, stop }),
  );
}

async function fingerprintOf(
  { batch, run }: NormalizedBatchOptions,
  { text, shared }: BatchTemplate,
): Promise<string> {
  const { output } = run;
  const asked =
    output === undefined
      ? null
      : { kind: output._tag, tag: output.tag ?? null, schema: (await schemaHashOf(output)) ?? null };
  const parts = { prompt: text.toWellFormed(), output: asked, agent: batch.agentId };
  const hasShared = Object.keys(shared).length > 0;
  return hash(canonicalJson(hasShared ? { ...parts, shared } : parts));
}

async function count<TItem>(items: AsyncIterable<TItem>, check: (item: TItem) => void): Promise<number> {
  let total = 0;
  for await (const item of items) {
    check(item);
    total += 1;
  }
  return total;
}
