/** Routes of an owner's requests, over all chats. */
import { z } from 'zod';
import { toZod } from '../../contract/to-zod.ts';
import { requestStatus } from '@truecast/client/internal/wire/receipt';
import { requestDetailView, requestPageView } from '@truecast/client/internal/wire/request';
import { labelParameter } from '../../contract/chat-labels.ts';
import {
  costParameter,
  listDirection,
  listSort,
  pageCursor,
  pageLimit,
  searchText,
  timeParameter,
} from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';
import { toRequestView } from '../views.ts';

const text = z.string().min(1);
const listQuery = z.strictObject({
  limit: pageLimit,
  after: pageCursor,
  status: toZod(requestStatus).exactOptional(),
  name: text.exactOptional(),
  model: text.exactOptional(),
  schema_hash: text.exactOptional(),
  // Text in the name of the schema, or in the title of the chat.
  q: searchText.exactOptional(),
  since: timeParameter.exactOptional(),
  until: timeParameter.exactOptional(),
  label: labelParameter.exactOptional(),
  min_cost_usd: costParameter.exactOptional(),
  sort: listSort,
  direction: listDirection,
  // Lists contain no values. With this parameter, each request has the beginning of its question and of its
  // value, and the first issue of a failure.
  preview: z.stringbool().default(false),
});

/** The routes, in documentation order. */
export const REQUEST_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/requests',
    operationId: 'listRequests',
    summary: 'List the requests for validated answers of all chats without their values, the newest first',
    query: listQuery,
    answer: { status: 200, description: 'A page of requests', schema: toZod(requestPageView) },
    async handle({ parts, owner, query }) {
      const { schema_hash: schemaHash, min_cost_usd: minCostUsd, since, until, preview, ...filter } = query;
      const { requests, next } = await parts.machine.listRequests({
        owner,
        ...filter,
        hasPreview: preview,
        ...(minCostUsd !== undefined && { minCostUsd }),
        ...(schemaHash !== undefined && { schemaHash }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(until !== undefined && { until: Date.parse(until) }),
      });
      const body = {
        requests: requests.map(toRequestView),
        ...(next !== undefined && { next }),
      };
      return { status: 200, body };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/requests/:rid',
    operationId: 'readRequestDetail',
    summary: 'Read a request with its receipt and its schema',
    answer: { status: 200, description: 'The request', schema: toZod(requestDetailView) },
    async handle({ parts, owner, params }) {
      const request = await parts.machine.readRequest({ owner, requestId: params['rid'] ?? '' });
      const { receipt, schemaText } = request;
      return {
        status: 200,
        body: { request: toRequestView(request), receipt, schema_text: schemaText },
      };
    },
  }),
];
