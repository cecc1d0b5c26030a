/** Routes of kept runs of coding agents. They belong to the project, not to an owner. */
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { runDetailViewSchema, runPageViewSchema } from '../../contract/wire/run-wire.ts';
import { pageLimit } from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

const text = z.string().min(1);
const listQuery = z.strictObject({
  limit: pageLimit,
  after: z
    .string()
    .regex(/^\d{8}T\d{6}Z-[\da-f]{8}$/u, 'Must be `next` of the previous page')
    .exactOptional(),
  status: z.enum(['valid', 'failed', 'done']).exactOptional(),
  agent: text.exactOptional(),
  q: text.exactOptional(),
});

/** The routes, in documentation order. */
export const RUN_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/runs',
    operationId: 'listRuns',
    summary: 'List the kept runs of coding agents, the newest first; needs the scope `project`',
    scope: 'project',
    query: listQuery,
    answer: { status: 200, description: 'A page of runs', schema: runPageViewSchema },
    async handle({ parts, query }) {
      return { status: 200, body: (await parts.runs?.list(query)) ?? { runs: [] } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/runs/:run',
    operationId: 'readRun',
    summary: 'Read a kept run with its answer and its transcript; needs the scope `project`',
    scope: 'project',
    answer: { status: 200, description: 'The run', schema: runDetailViewSchema },
    async handle({ parts, params }) {
      const run = await parts.runs?.read(params['run'] ?? '');
      if (run !== undefined) return { status: 200, body: run };
      throw new RequestRefusedError('There is no such run. Old runs are removed. List the runs again.', {
        code: 'not-found',
      });
    },
  }),
];
