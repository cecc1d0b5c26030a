/** Agent runs of a server: creates, finds and lists them. */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { checkedCalls } from '../calls/checked-calls.ts';
import type { RequestOptions } from '../calls/call-options.ts';
import { callServer, randomKey, type Connection } from '../calls/http-caller.ts';
import { toQuery } from '../calls/to-query.ts';
import { webhookSecretView } from '../wire/webhook.ts';
import { agentRunPageView, agentRunView } from '../wire/runs/agent-run.ts';
import { runRepositoriesView, runWorkersView } from '../wire/runs/run-places.ts';
import type {
  ClientRun,
  ClientRunResult,
  ClientRuns,
  CreateRunOptions,
  ListRunsOptions,
} from './client-run.ts';
import { openClientRun, RUNS_PATH } from './open-client-run.ts';
import { toCreateBody, toRunForm } from './run-form.ts';

const LIST_OPTIONS: OptionNames<ListRunsOptions> = {
  limit: true,
  after: true,
  status: true,
  repository: true,
  agent: true,
  metadata: true,
  signal: true,
};

/** The calls without the types of their definitions. */
interface UntypedRuns extends Omit<ClientRuns, 'create' | 'run' | 'get'> {
  create(options: CreateRunOptions, request?: RequestOptions): Promise<ClientRun<unknown>>;
  run(options: CreateRunOptions, request?: RequestOptions): Promise<ClientRunResult<unknown>>;
  get(id: string, options?: { readonly output?: AnyOutputDefinition }): ClientRun<unknown>;
}

/** Creates the calls without sending anything. */
export function openClientRuns(connection: Connection): ClientRuns {
  const create: UntypedRuns['create'] = async (options, { signal, idempotencyKey = randomKey() } = {}) => {
    const body = toCreateBody(options);
    const shape = agentRunView;
    const { id } = await callServer(connection, {
      method: 'POST',
      path: RUNS_PATH,
      body,
      shape,
      signal,
      idempotencyKey,
    });
    return openClientRun(connection, { id, form: toRunForm(options.output), isAccepted: true });
  };
  const callSecret = (method: 'GET' | 'POST', below: string, signal: AbortSignal | undefined) =>
    callServer(connection, {
      method,
      path: `/api/webhooks/secret${below}`,
      shape: webhookSecretView,
      signal,
    });
  const runs = checkedCalls<UntypedRuns>({
    create,
    run: async (options, request) => (await create(options, request)).result({ signal: request?.signal }),
    get: (id, { output } = {}) =>
      openClientRun(connection, { id, form: toRunForm(output), isAccepted: false }),
    webhookSecret: ({ signal } = {}) => callSecret('GET', '', signal),
    rotateWebhookSecret: ({ signal } = {}) => callSecret('POST', '/rotate', signal),
    repositories: ({ signal } = {}) =>
      callServer(connection, {
        method: 'GET',
        path: '/api/repositories',
        shape: runRepositoriesView,
        signal,
      }),
    workers: ({ signal } = {}) =>
      callServer(connection, { method: 'GET', path: '/api/workers', shape: runWorkersView, signal }),
    list(options = {}) {
      assertKnownOptions(options, { of: '`runs.list()`', names: LIST_OPTIONS });
      const { signal, ...page } = options;
      const path = `${RUNS_PATH}${toQuery(page)}`;
      return callServer(connection, { method: 'GET', path, shape: agentRunPageView, signal });
    },
  });
  // The result of each run has been validated by the definition that gives its type.
  return runs as ClientRuns;
}
