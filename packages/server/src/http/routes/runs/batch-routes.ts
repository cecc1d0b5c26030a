/** Routes of batches: agent runs with one request and different prompts. */
import { z } from 'zod';
import {
  addedItemsView,
  addItemsBody,
  batchResultsView,
  batchView,
  type AddItemsBody,
  type CreateBatchBody,
} from '@truecast/client/internal/wire/runs/agent-batch';
import { createBatchSchema } from '../../../contract/agent-run-body.ts';
import { toZod } from '../../../contract/to-zod.ts';
import { hasEnded, type OwnedBatch } from '../../../runs/state/batches.ts';
import { toAgentRunReceipt, toBatchView } from '../../agent-run-views.ts';
import { integerParameter } from '../../read-query.ts';
import { defineRoute, type Call, type HttpRoute } from '../../route.ts';
import { withBudget } from './run-budget.ts';
import { assertOffered, assertWebhook, runRequestOf, waitParameter } from './agent-run-routes.ts';

/** A receipt can have a value of 256 KiB. */
const MOST_RESULTS = 100;
const resultsQuery = z.strictObject({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: integerParameter(1, MOST_RESULTS).default(MOST_RESULTS),
  wait: waitParameter,
});
const answer = { status: 200, description: 'The batch', schema: toZod(batchView) } as const;

/** The routes, in documentation order. */
export const BATCH_ROUTES: readonly HttpRoute[] = [
  defineRoute<CreateBatchBody>({
    method: 'post',
    path: '/api/batches',
    operationId: 'createBatch',
    summary: 'Create a batch of runs, or find the one with this name and request; needs the scope `runs`',
    scope: 'runs',
    body: createBatchSchema,
    hasOwnLimits: true,
    answer,
    async handle({ parts, owner, body }) {
      assertOffered(parts.runOffers, body.value);
      assertWebhook(parts, body.value);
      const { request, schemaHash } = runRequestOf(body);
      const { name, budget, ...rest } = withBudget(request, parts.runOffers);
      const given = {
        ...(schemaHash !== undefined && { schemaHash }),
        ...(budget !== undefined && { budget }),
      };
      const batch = { owner, name, request: rest, ...given };
      return { status: 200, body: toBatchView(await parts.agentRuns.createBatch(batch)) };
    },
  }),
  defineRoute<AddItemsBody>({
    method: 'post',
    path: '/api/batches/:batch/items',
    operationId: 'addBatchItems',
    summary: 'Add the items whose keys are new; needs the scope `runs`',
    scope: 'runs',
    body: toZod(addItemsBody),
    hasOwnLimits: true,
    answer: { status: 200, description: 'The number of new items', schema: toZod(addedItemsView) },
    async handle(call) {
      const { items } = call.body.value;
      return {
        status: 200,
        body: { added: await call.parts.agentRuns.addItems({ ...ownedBatch(call), items }) },
      };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/batches/:batch/close',
    operationId: 'closeBatch',
    summary: 'Declare that a batch has all its items; needs the scope `runs`',
    scope: 'runs',
    answer,
    async handle(call) {
      return { status: 200, body: toBatchView(await call.parts.agentRuns.closeBatch(ownedBatch(call))) };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/batches/:batch/cancel',
    operationId: 'cancelBatch',
    summary: 'Cancel a batch and its runs; needs the scope `runs`',
    scope: 'runs',
    answer,
    async handle(call) {
      return { status: 200, body: toBatchView(await call.parts.agentRuns.cancelBatch(ownedBatch(call))) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/batches/:batch',
    operationId: 'readBatch',
    summary: 'Read a batch; needs the scope `runs`',
    scope: 'runs',
    answer,
    async handle(call) {
      return { status: 200, body: toBatchView(await call.parts.agentRuns.readBatch(ownedBatch(call))) };
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof resultsQuery>>({
    method: 'get',
    path: '/api/batches/:batch/results',
    operationId: 'listBatchResults',
    summary: 'List the receipts of a batch in the order in which its items ended; needs the scope `runs`',
    scope: 'runs',
    query: resultsQuery,
    answer: { status: 200, description: 'A page of results', schema: toZod(batchResultsView) },
    async handle(call) {
      const { parts, query, signal } = call;
      const { wait, ...page } = query;
      const owned = { ...ownedBatch(call), ...page, waitMs: wait * 1_000, signal };
      const { batch, results, waitsForBudget } = await parts.agentRuns.waitForResults(owned);
      const last = results.at(-1)?.seq ?? page.after;
      // The batch was read first, so a page that is not full has the last results.
      const isLast = hasEnded(batch) && results.length < page.limit;
      return {
        status: 200,
        body: {
          results: results.map(({ key, run }) => ({ key, receipt: toAgentRunReceipt(run) })),
          ...(!isLast && { next: String(last) }),
          ...(waitsForBudget && results.length < page.limit && { waits_for: 'budget' as const }),
        },
      };
    },
  }),
];

function ownedBatch({ owner, params }: Pick<Call<unknown, unknown>, 'owner' | 'params'>): OwnedBatch {
  return { owner, batchId: params['batch'] ?? '' };
}
