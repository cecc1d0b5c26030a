/** Routes of scenarios, and of ensemble runs on the ledger. They belong to the project, not to an owner. */
import { z } from 'zod';
import { toZod } from '../../contract/to-zod.ts';
import {
  ensembleRunPageView,
  ledgerEventPageView,
  saidView,
  sayBody,
  scenarioListView,
  type SayBody,
} from '@truecast/client/internal/wire/ensemble';
import { storeVisitorMessage } from '../../ledger/store-visitor-message.ts';
import { followLedgerEvents } from '../../ledger/follow-ledger.ts';
import { listEnsembleRuns } from '../../ledger/read-ledger.ts';
import { eventPage, pageLimit } from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

const after = z
  .string()
  .regex(/^\d{1,15}$/u, 'Must be `next` of the previous page')
  .transform(Number)
  .exactOptional();
const runsQuery = z.strictObject({ limit: pageLimit, after });
const eventsQuery = z.strictObject({ limit: eventPage.limit, after, wait: eventPage.wait });

/** The routes, in documentation order. */
export const ENSEMBLE_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof runsQuery>>({
    method: 'get',
    path: '/api/ensembles/runs',
    operationId: 'listEnsembleRuns',
    summary: 'List the ensemble runs on the ledger, the newest first; needs the scope `project`',
    scope: 'project',
    query: runsQuery,
    answer: { status: 200, description: 'A page of runs', schema: toZod(ensembleRunPageView) },
    async handle({ parts, query }) {
      const { items, next } = await listEnsembleRuns(parts.store.db, query);
      return { status: 200, body: { runs: items, ...(next !== undefined && { next: String(next) }) } };
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof eventsQuery>>({
    method: 'get',
    path: '/api/ensembles/runs/:run/events',
    operationId: 'listLedgerEvents',
    summary: 'Read an ensemble run with its events, the oldest first; needs the scope `project`',
    scope: 'project',
    query: eventsQuery,
    answer: { status: 200, description: 'A page of events', schema: toZod(ledgerEventPageView) },
    async handle({ parts, params, query: { wait, ...page }, signal }) {
      const followed = { ...page, waitMs: wait * 1_000, signal };
      const { run, events, next } = await followLedgerEvents(parts.store, params['run'] ?? '', followed);
      return { status: 200, body: { run, events, ...(next !== undefined && { next: String(next) }) } };
    },
  }),
  defineRoute<SayBody>({
    method: 'post',
    path: '/api/ensembles/runs/:run/say',
    operationId: 'sayToEnsemble',
    summary: 'Send a message into an open ensemble run; needs the scope `project`',
    scope: 'project',
    body: toZod(sayBody),
    answer: { status: 201, description: 'The stored message', schema: toZod(saidView) },
    async handle({ parts, params, body }) {
      const { text } = body.value;
      const id = await storeVisitorMessage(parts.store, params['run'] ?? '', { text, atMs: Date.now() });
      return { status: 201, body: { id } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/scenarios',
    operationId: 'listScenarios',
    summary: 'List the scenarios that ensembles can play; needs the scope `project`',
    scope: 'project',
    answer: {
      status: 200,
      description: 'Scenarios and problems of manifests',
      schema: toZod(scenarioListView),
    },
    async handle({ parts }) {
      return { status: 200, body: (await parts.scenarios?.list()) ?? { scenarios: [], problems: [] } };
    },
  }),
];
