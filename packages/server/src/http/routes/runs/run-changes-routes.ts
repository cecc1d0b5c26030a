/** Route of what the commits of a durable run changed. */
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { changesView } from '@truecast/client/internal/wire/changes';
import { toZod } from '../../../contract/to-zod.ts';
import { defineRoute, type HttpRoute } from '../../route.ts';
import { ownedRun } from './agent-run-routes.ts';

const changesQuery = z.strictObject({ commit: z.string().min(1).exactOptional() });

/** The route. */
export const RUN_CHANGES_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof changesQuery>>({
    method: 'get',
    path: '/api/runs/:run/changes',
    operationId: 'readRunChanges',
    summary: 'Read what the commits of a run that has ended changed; needs the scope `runs`',
    scope: 'runs',
    query: changesQuery,
    answer: { status: 200, description: 'The commits and the changed files', schema: toZod(changesView) },
    async handle(call) {
      const { parts, query, signal } = call;
      const { result, repository } = await parts.agentRuns.readRun(ownedRun(call));
      const { commits = [] } = result ?? {};
      // So the route is no way to read the commit of another run.
      if (query.commit !== undefined && !commits.includes(query.commit)) throw noCommit();
      const work = await parts.readRunWork?.(repository, commits, { commit: query.commit, signal });
      // Another process has the repository.
      const none = { commits: [], missing_commits: commits.length, files: [], omitted_files: 0 };
      return { status: 200, body: work ?? none };
    },
  }),
];

function noCommit(): RequestRefusedError {
  return new RequestRefusedError('The run has no such commit. Its receipt lists its commits.', {
    code: 'not-found',
  });
}
