/** Routes of the places of agent runs: the repositories of this server, and the workers of the database. */
import { runRepositoriesView, runWorkersView } from '@truecast/client/internal/wire/runs/run-places';
import { toZod } from '../../../contract/to-zod.ts';
import { defineRoute, type HttpRoute } from '../../route.ts';

/** The routes, in documentation order. */
export const RUN_PLACE_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/repositories',
    operationId: 'listRepositories',
    summary: 'List the repositories and agents that a run can name; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The repositories', schema: toZod(runRepositoriesView) },
    async handle({ parts: { runOffers } }) {
      const { repositories = [], agents = [] } = runOffers ?? {};
      return { status: 200, body: { repositories: repositories.map((name) => ({ name, agents })) } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/workers',
    operationId: 'listWorkers',
    summary: 'List the processes that execute runs now; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The workers', schema: toZod(runWorkersView) },
    async handle({ parts: { agentRuns } }) {
      const workers = await agentRuns.liveWorkers();
      return {
        status: 200,
        body: { workers: workers.map(({ worker, ...offers }) => ({ name: worker, ...offers })) },
      };
    },
  }),
];
