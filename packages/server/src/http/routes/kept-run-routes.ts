/** Routes of kept runs of coding agents. They belong to the project, not to an owner. */
import { z } from 'zod';
import { toZod } from '../../contract/to-zod.ts';
import { changesView } from '@truecast/client/internal/wire/changes';
import {
  type KeptRunView,
  runDetailView,
  runEventPageView,
  runPageView,
  runStatus,
  runTranscriptView,
} from '@truecast/client/internal/wire/kept-run';
import { eventPage, integerParameter, listDirection, listSort, pageLimit } from '../read-query.ts';
import { defineRoute, type Call, type HttpRoute } from '../route.ts';
import { followKeptRunEvents, noKeptRun } from '../stream/kept-run-stream.ts';

const text = z.string().min(1);
const listQuery = z.strictObject({
  limit: pageLimit,
  after: z
    .string()
    .regex(/^(?:\d+\.)?\d{8}T\d{6}Z-[\da-f]{8}$/u, 'Must be `next` of the previous page')
    .exactOptional(),
  sort: listSort,
  direction: listDirection,
  status: toZod(runStatus).exactOptional(),
  agent: text.exactOptional(),
  model: text.exactOptional(),
  q: text.exactOptional(),
});

const position = integerParameter(0, Number.MAX_SAFE_INTEGER);
const eventsQuery = z.strictObject({
  limit: eventPage.limit,
  after: position.default(0),
  wait: eventPage.wait,
});
const changesQuery = z.strictObject({ commit: text.exactOptional() });
const rangeQuery = z.strictObject({ from: position.default(0), to: position.exactOptional() });

/** A caller who lists durable runs recognizes their copies. Other runs can have an id too, and so can those of other owners. */
async function withOwnIds(
  { parts, token, owner }: Pick<Call<unknown, unknown>, 'parts' | 'token' | 'owner'>,
  runs: readonly KeptRunView[],
): Promise<readonly KeptRunView[]> {
  const ids = token.scopes.includes('runs') ? runs.flatMap(({ run_id: id }) => id ?? []) : [];
  const own = await parts.agentRuns.ownIds({ owner, ids });
  return runs.map(({ run_id: id, ...run }) =>
    id !== undefined && own.has(id) ? { ...run, run_id: id } : run,
  );
}

/** The routes, in documentation order. */
export const KEPT_RUN_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/kept_runs',
    operationId: 'listKeptRuns',
    summary: 'List the kept runs of coding agents, the newest first; needs the scope `project`',
    scope: 'project',
    query: listQuery,
    answer: { status: 200, description: 'A page of runs', schema: toZod(runPageView) },
    async handle(call) {
      const { runs, ...page } = (await call.parts.runs?.list(call.query)) ?? { runs: [] };
      return { status: 200, body: { ...page, runs: await withOwnIds(call, runs) } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/kept_runs/:run',
    operationId: 'readKeptRun',
    summary: 'Read a kept run with its answer and its transcript; needs the scope `project`',
    scope: 'project',
    answer: { status: 200, description: 'The run', schema: toZod(runDetailView) },
    async handle({ parts, params }) {
      const run = await parts.runs?.read(params['run'] ?? '');
      if (run !== undefined) return { status: 200, body: run };
      throw noKeptRun();
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof eventsQuery>>({
    method: 'get',
    path: '/api/kept_runs/:run/events',
    operationId: 'listKeptRunEvents',
    summary: 'Read the events of a kept run, the oldest first; needs the scope `project`',
    scope: 'project',
    query: eventsQuery,
    answer: { status: 200, description: 'A page of events', schema: toZod(runEventPageView) },
    async handle({ parts, params, query: { wait, ...page }, signal }) {
      const followed = { ...page, waitMs: wait * 1_000, signal };
      return { status: 200, body: await followKeptRunEvents(parts.runs, params['run'] ?? '', followed) };
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof changesQuery>>({
    method: 'get',
    path: '/api/kept_runs/:run/changes',
    operationId: 'readKeptRunChanges',
    summary: 'Read what the commits of a kept run changed; needs the scope `project`',
    scope: 'project',
    query: changesQuery,
    answer: { status: 200, description: 'The commits and the changed files', schema: toZod(changesView) },
    async handle({ parts, params, query, signal }) {
      const changes = await parts.runs?.diff(params['run'] ?? '', query.commit, signal);
      if (changes !== undefined) return { status: 200, body: changes };
      throw noKeptRun();
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof rangeQuery>>({
    method: 'get',
    path: '/api/kept_runs/:run/transcript',
    operationId: 'readKeptRunTranscript',
    summary: 'Read a range of the transcript of a kept run; needs the scope `project`',
    scope: 'project',
    query: rangeQuery,
    answer: { status: 200, description: 'The range', schema: toZod(runTranscriptView) },
    async handle({ parts, params, query }) {
      const range = await parts.runs?.transcript(params['run'] ?? '', query);
      if (range === undefined) throw noKeptRun();
      return { status: 200, body: range };
    },
  }),
];
