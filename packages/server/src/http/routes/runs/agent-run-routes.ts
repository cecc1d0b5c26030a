/** Routes of durable runs of coding agents. */
import { z } from 'zod';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import {
  agentRunDetailView,
  agentRunPageView,
  agentRunStatus,
  agentRunView,
  type CreateAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run';
import { agentRunArtifactsView } from '@truecast/client/internal/wire/runs/agent-run-artifact';
import { PUSH_MODES } from '@truecast/client/internal/wire/wire-codes';
import { createAgentRunSchema } from '../../../contract/agent-run-body.ts';
import { labelParameter } from '../../../contract/chat-labels.ts';
import { toZod } from '../../../contract/to-zod.ts';
import type { RunOffers } from '../../../runs/agent-executor.ts';
import { ARTIFACT_TYPES, type RunBlob } from '../../../runs/run-blob.ts';
import type { NewRun } from '../../../runs/state/run-changes.ts';
import type { RunRecord } from '../../../runs/state/run-records.ts';
import { noKey } from '../../../runs/webhooks/deliveries.ts';
import { withBudget } from './run-budget.ts';
import { answerOnce } from '../../idempotent.ts';
import type { ServerParts } from '../../server-parts.ts';
import { hashOfSchema } from '../../new-message.ts';
import { integerParameter, listDirection, listSort, pageCursor, pageLimit } from '../../read-query.ts';
import { defineRoute, refuseField, type Call, type HttpRoute, type JsonAnswer } from '../../route.ts';
import { toAgentRunDetail, toAgentRunView, toArtifactView, waitsOf } from '../../agent-run-views.ts';

const text = z.string().min(1);
/** Shorter than 60 seconds, after which most proxies end a request. */
const MAX_WAIT_SECONDS = 55;
/** Seconds for which a request waits. */
export const waitParameter: z.ZodType<number> = integerParameter(0, MAX_WAIT_SECONDS).default(0);
const waitQuery = z.strictObject({ wait: waitParameter });
const listQuery = z.strictObject({
  limit: pageLimit,
  after: pageCursor,
  status: toZod(agentRunStatus).exactOptional(),
  repository: text.exactOptional(),
  agent: text.exactOptional(),
  model: text.exactOptional(),
  q: text.exactOptional(),
  parent_id: text.exactOptional(),
  metadata: labelParameter.exactOptional(),
  sort: listSort,
  direction: listDirection,
});

/** The routes, in documentation order. */
export const AGENT_RUN_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'post',
    path: '/api/runs',
    operationId: 'createRun',
    summary: 'Create a run of a coding agent; needs the scope `runs`',
    scope: 'runs',
    body: createAgentRunSchema,
    hasOwnLimits: true,
    takesIdempotencyKey: true,
    answer: { status: 201, description: 'The queued run', schema: toZod(agentRunView) },
    handle: createRun,
  }),
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/runs',
    operationId: 'listRuns',
    summary: 'List the runs of coding agents, the newest first; needs the scope `runs`',
    scope: 'runs',
    query: listQuery,
    answer: { status: 200, description: 'A page of runs', schema: toZod(agentRunPageView) },
    async handle({ parts, owner, query: { parent_id: parentId, ...filter } }) {
      const { runs, next } = await parts.agentRuns.listRuns({
        owner,
        ...filter,
        ...(parentId !== undefined && { parentId }),
      });
      const waitOf = await waitsOf(parts.agentRuns, runs);
      return {
        status: 200,
        body: {
          runs: runs.map((run) => toAgentRunView(run, waitOf(run))),
          ...(next !== undefined && { next }),
        },
      };
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof waitQuery>>({
    method: 'get',
    path: '/api/runs/:run',
    operationId: 'readRun',
    summary: 'Read a run with its artifacts, and its receipt once it has ended; needs the scope `runs`',
    scope: 'runs',
    query: waitQuery,
    answer: { status: 200, description: 'The run', schema: toZod(agentRunDetailView) },
    async handle(call) {
      const { parts, query, signal } = call;
      const run = await parts.agentRuns.waitForRun({ ...ownedRun(call), waitMs: query.wait * 1_000, signal });
      // Read after the run: one that has ended has all of them.
      const executions = await parts.agentRuns.listExecutions(run.id);
      const artifacts = await parts.agentRuns.artifactsOf(run.id);
      const waitOf = await waitsOf(parts.agentRuns, [run]);
      return { status: 200, body: toAgentRunDetail({ run, executions, artifacts }, waitOf(run)) };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/runs/:run/cancel',
    operationId: 'cancelRun',
    summary:
      'Cancel a run: a queued one at once, a running one when its agent has stopped; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The run', schema: toZod(agentRunView) },
    async handle(call) {
      const run = await call.parts.agentRuns.requestCancel(ownedRun(call));
      return { status: 200, body: toAgentRunView(run) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/runs/:run/artifacts',
    operationId: 'listRunArtifacts',
    summary: 'List the artifacts of a run: log, patches, recording and session; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The artifacts', schema: toZod(agentRunArtifactsView) },
    async handle(call) {
      const artifacts = await call.parts.agentRuns.listArtifacts(ownedRun(call));
      return { status: 200, body: { artifacts: artifacts.map(toArtifactView) } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/runs/:run/artifacts/:artifact',
    operationId: 'readRunArtifact',
    summary: 'Download an artifact of a run, such as `log` or `changes.patch`; needs the scope `runs`',
    scope: 'runs',
    answer: {
      status: 200,
      description: 'The artifact, as an attachment',
      schema: z.string(),
      mediaType: [...new Set(Object.values(ARTIFACT_TYPES))],
    },
    async handle(call) {
      const owned = ownedRun(call);
      const name = call.params['artifact'] ?? '';
      const blob = await call.parts.agentRuns.readArtifact({ ...owned, name });
      return download(blob, `${owned.runId}.${name}`);
    },
  }),
];

/** Browsers only save it: an agent has written it. Ids and names of artifacts need no quotes. */
function download({ bytes, mediaType }: RunBlob, filename: string): Response {
  const type = mediaType === ARTIFACT_TYPES.log ? `${mediaType}; charset=utf-8` : mediaType;
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': type,
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${filename}"`,
    },
  });
}

/** Returns the run of the path. */
export function ownedRun({ owner, params }: Pick<Call<unknown, unknown>, 'owner' | 'params'>): {
  readonly owner: string;
  readonly runId: string;
} {
  return { owner, runId: params['run'] ?? '' };
}

function createRun(call: Call<CreateAgentRunBody, unknown>): Promise<JsonAnswer | Response> {
  return create(call, async () => {
    const { value } = call.body;
    const { runOffers } = call.parts;
    assertOffered(runOffers, value);
    assertWebhook(call.parts, value);
    const { request, ...hash } = runRequestOf(call.body);
    return { owner: call.owner, request: withBudget(request, runOffers), ...hash };
  });
}

/** Returns a request with its parsed format, and the hash of its schema. */
export function runRequestOf<TBody extends Pick<CreateAgentRunBody, 'response_format'>>({
  value,
  format,
}: Call<TBody, unknown>['body']): { readonly request: TBody; readonly schemaHash?: string } {
  if (format.type === 'text') return { request: value };
  const { name, description, schema } = format.format;
  const json_schema = { name, ...(description !== undefined && { description }), schema: toRecord(schema) };
  return {
    request: { ...value, response_format: { type: 'json_schema', json_schema } },
    schemaHash: hashOfSchema(schema),
  };
}

/** Creates a run once for an idempotency key. */
export function create(
  call: Call<unknown, unknown>,
  prepare: () => Promise<NewRun>,
): Promise<JsonAnswer | Response> {
  return answerOnce<RunRecord>(call, async () => {
    const run = await prepare();
    return {
      change: (idempotency) => call.parts.agentRuns.createRun({ ...run, ...idempotency }),
      answer: (created) => ({ status: 201, body: toAgentRunView(created) }),
    };
  });
}

/** Accepted formats have an object as their schema. */
function toRecord(schema: unknown): Readonly<Record<string, unknown>> {
  return isRecord(schema) ? schema : {};
}

/** Refuses a run that no process with this configuration executes. */
export function assertOffered(
  offers: RunOffers | undefined,
  {
    repository,
    agent,
    branch,
    push = 'never',
  }: Pick<CreateAgentRunBody, 'repository' | 'agent' | 'branch' | 'push'>,
): void {
  if (offers === undefined) {
    throw new RequestRefusedError(
      'This server accepts no runs. Add `repositories` and `runs` to its configuration.',
      { code: 'not-found' },
    );
  }
  if (!offers.repositories.includes(repository)) {
    throw refuseField('repository', `Must be one of ${offers.repositories.join(', ')}.`);
  }
  if (!offers.agents.includes(agent)) {
    throw refuseField('agent', `Must be one of ${offers.agents.join(', ')}.`);
  }
  const { branchPrefix = '', pushes = {} } = offers;
  const allowed = PUSH_MODES.slice(PUSH_MODES.indexOf(pushes[repository] ?? 'never'));
  if (!allowed.includes(push)) throw refuseField('push', `Must be one of ${allowed.join(', ')}.`);
  if (branch?.startsWith(branchPrefix) === false) {
    throw refuseField('branch', `Must begin with \`${branchPrefix}\`.`);
  }
}

/** Refuses an address that no try could reach, and a webhook that no process could sign. */
export function assertWebhook(
  { agentRuns }: Pick<ServerParts, 'agentRuns'>,
  { webhook }: Pick<CreateAgentRunBody, 'webhook'>,
): void {
  if (webhook === undefined) return;
  if (agentRuns.webhooks.webhookKey === undefined) throw noKey();
  const url = URL.parse(webhook.url);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.username === '' && url.password === '') return;
  throw refuseField('webhook', 'Must be an address with `https:` or `http:`, without a user.', '/url');
}
