/** Routes of changes and follow-ups of agent runs: priority, deletion, retry and continuation. */
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { agentRunView, type CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import {
  type ContinueAgentRunBody,
  type PatchAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run-changes';
import { continueAgentRunSchema, patchAgentRunSchema } from '../../../contract/agent-run-body.ts';
import { toZod } from '../../../contract/to-zod.ts';
import { continuationOf } from '../../../runs/continued-run.ts';
import { isEndedRun } from '../../../runs/run-transitions.ts';
import type { NewRun } from '../../../runs/state/run-changes.ts';
import type { RunRecord } from '../../../runs/state/run-records.ts';
import { toAgentRunView } from '../../agent-run-views.ts';
import { defineRoute, refuseField, type Call, type HttpRoute, type JsonAnswer } from '../../route.ts';
import { assertOffered, create, ownedRun, runRequestOf } from './agent-run-routes.ts';

/** The routes, in documentation order. */
export const NEXT_RUN_ROUTES: readonly HttpRoute[] = [
  defineRoute<PatchAgentRunBody>({
    method: 'patch',
    path: '/api/runs/:run',
    operationId: 'patchRun',
    summary: 'Change the priority and the metadata of a run; needs the scope `runs`',
    scope: 'runs',
    body: patchAgentRunSchema,
    answer: { status: 200, description: 'The run', schema: toZod(agentRunView) },
    async handle(call) {
      const run = await call.parts.agentRuns.patchRun({ ...ownedRun(call), ...call.body.value });
      return { status: 200, body: toAgentRunView(run) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/runs/:run',
    operationId: 'deleteRun',
    summary: 'Remove the events and the artifacts of a run that has ended; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 204, description: 'They are removed; the receipt remains' },
    async handle(call) {
      await call.parts.agentRuns.deleteRun({ ...ownedRun(call), actor: `token:${call.token.id}` });
      return { status: 204 };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/runs/:run/retry',
    operationId: 'retryRun',
    summary: 'Create a run with the request of one that has ended; needs the scope `runs`',
    scope: 'runs',
    takesIdempotencyKey: true,
    answer: { status: 201, description: 'The new queued run', schema: toZod(agentRunView) },
    handle: retryRun,
  }),
  defineRoute<ContinueAgentRunBody>({
    method: 'post',
    path: '/api/runs/:run/continue',
    operationId: 'continueRun',
    summary:
      'Create a run that continues one that has ended, on its branch and in its session; needs the scope `runs`',
    scope: 'runs',
    body: continueAgentRunSchema,
    takesIdempotencyKey: true,
    answer: { status: 201, description: 'The new queued run', schema: toZod(agentRunView) },
    handle: continueRun,
  }),
];

function retryRun(call: Call<unknown, unknown>): Promise<JsonAnswer | Response> {
  return create(call, async () => {
    const run = await readEnded(call, 'retried');
    const { continued, schemaHash } = run;
    return {
      owner: call.owner,
      request: requestOf(run),
      parent: { id: run.id, relation: 'retry', ...(continued !== undefined && { continued }) },
      ...(schemaHash !== undefined && { schemaHash }),
      // A run that continued another one is repeated where it worked.
      ...(continued !== undefined && { branch: run.branch }),
    };
  });
}

function continueRun(call: Call<ContinueAgentRunBody, unknown>): Promise<JsonAnswer | Response> {
  return create(call, async () => {
    const run = await readEnded(call, 'continued');
    const { message, fork = false } = call.body.value;
    const { request, ...form } = withForm(call, run);
    const { branch, ref, ...task } = request;
    const start = fork ? (run.headSha ?? ref) : ref;
    return {
      owner: call.owner,
      request: {
        ...task,
        prompt: message,
        ...(start !== undefined && { ref: start }),
        ...(branch !== undefined && !fork && { branch }),
      },
      ...form,
      parent: { id: run.id, relation: fork ? 'fork' : 'continue', continued: continuationOf(run) },
      ...(!fork && { branch: run.branch }),
    };
  });
}

/** Returns the request of a run with the form of the answer that a body asks for, else with its own. */
function withForm(
  { body }: Call<ContinueAgentRunBody, unknown>,
  run: RunRecord,
): Pick<NewRun, 'request' | 'schemaHash'> {
  const request = requestOf(run);
  const { request: asked, ...hash } = runRequestOf(body);
  const { message: _message, fork: _fork, ...form } = asked;
  // Without one, it is read as text.
  if (memberText(body.text, ['response_format']) === undefined) {
    if (Object.keys(form).length > 0) {
      throw refuseField('response_format', 'Must be set with `tag`, `mode` and `max_corrections`.');
    }
    return { request, ...(run.schemaHash !== undefined && { schemaHash: run.schemaHash }) };
  }
  const {
    response_format: _format,
    tag: _tag,
    mode: _mode,
    max_corrections: _corrections,
    ...task
  } = request;
  return { request: { ...task, ...form }, ...hash };
}

/** Returns the request of a run as it was changed later, without the time of its first start. */
function requestOf({ request, priority, metadata }: RunRecord): CreateAgentRunBody {
  const { start_after: _start, metadata: _first, ...rest } = request;
  return { ...rest, priority, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/** Reads a run that has ended, and that a worker of this configuration could execute. */
async function readEnded(call: Call<unknown, unknown>, verb: 'retried' | 'continued'): Promise<RunRecord> {
  const run = await call.parts.agentRuns.readRun(ownedRun(call));
  if (!isEndedRun(run.status)) {
    throw new ChatStateError(
      `A run that is ${run.status} cannot be ${verb}. Wait for its end, or cancel it.`,
      { code: 'not-allowed', subject: run.id, from: run.status },
    );
  }
  assertOffered(call.parts.runOffers, run.request);
  return run;
}
