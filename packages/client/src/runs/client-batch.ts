/** Client-side batch of agent runs: adds items by key, and yields their results as they end. */
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { Output } from '@truecast/core/internal/output/output';
import { callServer, type Connection } from '../calls/http-caller.ts';
import { createPatience, type OnRetry } from '../calls/patience.ts';
import { toQuery } from '../calls/to-query.ts';
import {
  addedItemsView,
  batchResultsView,
  batchView,
  MOST_ITEMS,
  type BatchBudget,
  type BatchItemBody,
  type BatchResultsView,
  type BatchView,
} from '../wire/runs/agent-batch.ts';
import type { AgentRunReceipt } from '../wire/runs/agent-run.ts';
import type { ClientRunResult, CreateRunOptions } from './client-run.ts';
import { openResult } from './open-client-run.ts';
import { toCreateBody, toRunForm, type RunForm } from './run-form.ts';

/** Request of the items of a batch, and its name. */
export interface BatchRequestOptions extends Omit<CreateRunOptions, 'prompt' | 'branch' | 'startAfter'> {
  /** Identifies the batch for its owner. */
  readonly name: string;
  /** Of all items together. Replaces an earlier one. @default the earlier one, or none */
  readonly budget?: BatchBudget;
}

/** The end of an item: its result, or why it has none. */
export type ClientBatchResult = { readonly key: string; readonly receipt: AgentRunReceipt } & (
  | { readonly result: ClientRunResult<unknown> }
  | { readonly error: unknown }
);

export interface ClientBatch {
  readonly id: string;
  /** Adds the items that are new. Waits while the owner has too many queued runs. */
  add(items: readonly BatchItemBody[], signal?: AbortSignal): Promise<void>;
  close(signal?: AbortSignal): Promise<BatchView>;
  /**
   * Yields each result once, until all items of the closed batch have ended, also while the server restarts.
   *
   * @throws LimitError once the budget of the batch is spent, and none of its items is running
   */
  results(signal?: AbortSignal): AsyncGenerator<ClientBatchResult, void, undefined>;
}

const WAIT_SECONDS = 30;
/** Form of results that are text. */
const TEXT: RunForm = { output: Output.json(), inverse: (value) => value };

/** Cancels a batch and its runs. */
export function cancelClientBatch(connection: Connection, id: string): Promise<BatchView> {
  const path = `/api/batches/${encodeURIComponent(id)}/cancel`;
  return callServer(connection, { method: 'POST', path, shape: batchView });
}

/** Creates the batch, or finds the one with this name and request. */
export async function openClientBatch(
  connection: Connection,
  { name, budget, ...request }: BatchRequestOptions,
  { signal, onRetry }: { readonly signal?: AbortSignal; readonly onRetry?: OnRetry } = {},
): Promise<ClientBatch> {
  const patiently = patientWith(onRetry);
  const { prompt: _prompt, ...body } = toCreateBody({ ...request, prompt: '' });
  const form = toRunForm(request.output);
  const call = {
    method: 'POST',
    path: '/api/batches',
    body: { name, ...(budget !== undefined && { budget }), ...body },
    shape: batchView,
    signal,
  } as const;
  const { id } = await callServer(connection, call);
  const path = `/api/batches/${encodeURIComponent(id)}`;
  const readAfter = (after: string, aborts: AbortSignal | undefined): Promise<BatchResultsView> => {
    const below = `/results${toQuery({ after, wait: WAIT_SECONDS })}`;
    const read = { method: 'GET', path: `${path}${below}`, shape: batchResultsView, signal: aborts } as const;
    return patiently(() => callServer(connection, read), aborts);
  };
  return {
    id,
    async add(items, aborts) {
      for (let first = 0; first < items.length; first += MOST_ITEMS) {
        const part = { items: items.slice(first, first + MOST_ITEMS) };
        const upload = {
          method: 'POST',
          path: `${path}/items`,
          body: part,
          shape: addedItemsView,
          signal: aborts,
        } as const;
        // The keys make a repetition safe.
        await patiently(() => callServer(connection, upload), aborts);
      }
    },
    close: (aborts) => {
      const closing = { method: 'POST', path: `${path}/close`, shape: batchView, signal: aborts } as const;
      return patiently(() => callServer(connection, closing), aborts);
    },
    async *results(aborts) {
      let after: string | undefined = '0';
      while (after !== undefined) {
        const page: BatchResultsView = await readAfter(after, aborts);
        for (const { key, receipt } of page.results) {
          const how = { acceptsRounding: false, isText: form === undefined };
          yield await openResult(receipt, form ?? TEXT, how).then(
            (result) => ({ key, receipt, result }),
            (error: unknown) => ({ key, receipt, error }),
          );
        }
        const spent = page.waits_for === 'budget' ? await findSpentBudget(connection, path) : undefined;
        if (spent !== undefined) throw spent;
        after = page.next;
      }
    },
  };
}

/** Returns undefined if the budget was raised since the results were read. */
async function findSpentBudget(connection: Connection, path: string): Promise<LimitError | undefined> {
  const { budget = {}, spent } = await callServer(connection, { method: 'GET', path, shape: batchView });
  const isTokens = budget.tokens !== undefined && spent.tokens >= budget.tokens;
  if (!isTokens && (budget.usd === undefined || spent.usd < budget.usd)) return undefined;
  const bound = isTokens ? `${budget.tokens} tokens` : `${budget.usd} US dollars`;
  return new LimitError(
    `The batch has used its budget of ${bound}. Its results are kept, and its other items wait. To continue, raise the budget and start the batch again.`,
    { code: isTokens ? 'tokens' : 'money' },
  );
}

/** Returns the function that repeats a call while the server restarts, or takes no further runs for now. */
function patientWith(onRetry: OnRetry | undefined) {
  return async <T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    for (const patience = createPatience(onRetry); ;) {
      try {
        return await call();
      } catch (error) {
        await patience.failed(error, signal);
      }
    }
  };
}
