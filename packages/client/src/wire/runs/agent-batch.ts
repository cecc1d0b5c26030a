/** Wire format of batches: agent runs with one request and different prompts, identified by keys. */
import {
  array,
  bounded,
  count,
  limited,
  number,
  object,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { agentRunReceipt, createAgentRunMembers } from './agent-run.ts';

const { prompt, branch: _branch, start_after: _start, ...requestMembers } = createAgentRunMembers;

/** The request of the items of a batch, without their prompts. */
export interface BatchRequest extends ObjectOf<typeof requestMembers> {}
export const batchRequest: Shape<BatchRequest> = object(requestMembers);

const budgetMembers = {
  /** Tokens of input and output. */
  tokens: optional(bounded('integer', { min: 1 })),
  /** US dollars that the agents report. */
  usd: optional(bounded('number', { min: 0.000_001 })),
};
/** Budget of all runs of a batch together. */
export interface BatchBudget extends ObjectOf<typeof budgetMembers> {}
const batchBudget: Shape<BatchBudget> = object(budgetMembers, 'BatchBudget');

export const createBatchMembers = {
  ...requestMembers,
  /**
   * Once the runs have spent it, no further item starts. A second request with a higher one continues. @default
   * that of the first request, or none
   */
  budget: optional(batchBudget),
  /** Identifies the batch for its owner. A second request with the name and the same members returns it. */
  name: limited({ min: 1, max: 200 }),
};
/** A new batch: the request of all items, without a prompt. */
export interface CreateBatchBody extends ObjectOf<typeof createBatchMembers> {}

const itemMembers = {
  /** Identifies the item in its batch. A second one with the key is not added. */
  key: limited({ min: 1, max: 200 }),
  prompt,
};
/** An item of a batch. */
export interface BatchItemBody extends ObjectOf<typeof itemMembers> {}
const batchItem: Shape<BatchItemBody> = object(itemMembers, 'BatchItem');

export const MOST_ITEMS = 1_000;
const itemsMembers = { items: array(batchItem, { min: 1, max: MOST_ITEMS }) };
/** Items to add to a batch. */
export interface AddItemsBody extends ObjectOf<typeof itemsMembers> {}
export const addItemsBody: Shape<AddItemsBody> = object(itemsMembers, 'AddBatchItems');

const addedMembers = {
  /** Items that are new. The batch had the others. */
  added: count,
};
/** Effect of an upload of items. */
export interface AddedItemsView extends ObjectOf<typeof addedMembers> {}
export const addedItemsView: Shape<AddedItemsView> = object(addedMembers, 'AddedBatchItems');

/** A batch takes items while it is `open`. */
const batchStatus = openOneOf('open', 'closed', 'canceled');

const batchMembers = {
  id: string,
  name: string,
  status: batchStatus,
  items: count,
  succeeded: count,
  failed: count,
  canceled: count,
  budget: optional(batchBudget),
  /** Sum of the usage of all runs. */
  spent: object({ tokens: count, usd: number }, 'BatchSpent'),
  created_at: time,
  closed_at: optional(time),
};
/** A batch. All its items have ended when the last three counts have the sum `items`. */
export interface BatchView extends ObjectOf<typeof batchMembers> {}
export const batchView: Shape<BatchView> = object(batchMembers, 'Batch');

const resultMembers = {
  key: string,
  receipt: agentRunReceipt,
};
/** The end of an item. */
export interface BatchResultView extends ObjectOf<typeof resultMembers> {}
const batchResultView: Shape<BatchResultView> = object(resultMembers, 'BatchResult');

const resultsMembers = {
  /** In the order in which they ended. */
  results: array(batchResultView),
  /** `after` of the next page. Absent if no further item of a closed batch will end. */
  next: optional(string),
  /** Present if all further items wait for a higher budget of the batch, and none is running. */
  waits_for: optional(openOneOf('budget')),
};
/** A page of results. */
export interface BatchResultsView extends ObjectOf<typeof resultsMembers> {}
export const batchResultsView: Shape<BatchResultsView> = object(resultsMembers, 'BatchResults');
