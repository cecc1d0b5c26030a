/** Client-side agent run: its state, its events and its result. */
import { RunEndedError, type RunEndedErrorCode } from '@truecast/core/internal/errors/run-ended-error';
import { Output } from '@truecast/core/internal/output/output';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { checkedCalls } from '../calls/checked-calls.ts';
import type { RequestOptions } from '../calls/call-options.ts';
import { eventReader, followStream } from '../calls/event-stream.ts';
import { createPatience, type Patience } from '../calls/patience.ts';
import {
  callServer,
  randomKey,
  sendAndRead,
  type CallOptions,
  type Connection,
} from '../calls/http-caller.ts';
import { pollInTurn } from '../calls/long-polls.ts';
import { openValue } from '../answer/open-receipt.ts';
import { toQuery } from '../calls/to-query.ts';
import { nothing, type Shape } from '@truecast/core/internal/shape/shape';
import { unwrapRoot } from '@truecast/core/internal/schema/wrap-root';
import {
  agentRunDetailView,
  agentRunView,
  type AgentRunDetailView,
  type AgentRunReceipt,
} from '../wire/runs/agent-run.ts';
import { webhookDeliveriesView, webhookDeliveryView } from '../wire/webhook.ts';
import { agentRunArtifactsView } from '../wire/runs/agent-run-artifact.ts';
import { agentRunEvent } from '../wire/runs/agent-run-event.ts';
import type {
  ClientRun,
  ClientRunResult,
  ContinueRunOptions,
  FollowRunOptions,
  ReceivedRunEvent,
  RunResultOptions,
} from './client-run.ts';
import { assertPatch, toContinueBody, toRunForm, type RunForm } from './run-form.ts';

const WAIT_SECONDS = 25;
export const RUNS_PATH = '/api/runs';

const readRunEvent = eventReader(agentRunEvent);

/** Form of a run that was found by its id, without the definition of its answer. */
function anyValue({ is_wrapped: isWrapped }: AgentRunDetailView): RunForm {
  return { output: Output.json(), inverse: isWrapped === true ? unwrapRoot : (value) => value };
}

const RESULT_OPTIONS: OptionNames<RunResultOptions> = {
  acceptsRounding: true,
  signal: true,
  onRetry: true,
};

/** The calls without the types of their definitions. */
interface UntypedCalls extends Omit<ClientRun<unknown>, 'id' | 'continue'> {
  continue(options: ContinueRunOptions, request?: RequestOptions): Promise<ClientRun<unknown>>;
}

/** A run with an answer form. Without a form, the result is text, or any value of a run that was found by id. */
export interface OpenedRun {
  readonly id: string;
  readonly form: RunForm | undefined;
  /** True if the server has accepted the run. Else its first answer can be that it has no such run. */
  readonly isAccepted: boolean;
}

/** Creates the run object without sending anything. The form has the type of the result. */
export function openClientRun(
  connection: Connection,
  { id, form, isAccepted }: OpenedRun,
): ClientRun<unknown> {
  const path = `${RUNS_PATH}/${encodeURIComponent(id)}`;
  const call: CallRun = (method, below, shape, rest) =>
    callServer(connection, { method, path: `${path}${below}`, shape, ...rest });
  /** Returns undefined if the run has not ended. It continues while the server restarts. */
  const waitForEnd = async (
    signal: AbortSignal | undefined,
    patience: Patience,
  ): Promise<AgentRunDetailView | undefined> => {
    const query = toQuery({ wait: WAIT_SECONDS });
    const poll = (): Promise<AgentRunDetailView> => call('GET', query, agentRunDetailView, { signal });
    try {
      const run = await pollInTurn(connection, poll, signal);
      patience.succeeded();
      return run;
    } catch (error) {
      await patience.failed(error, signal);
      return undefined;
    }
  };
  const calls = checkedCalls<UntypedCalls>({
    read: ({ signal } = {}) => call('GET', '', agentRunDetailView, { signal }),
    events: (follow = {}) => followRun(connection, path, follow),
    async result(options = {}) {
      assertKnownOptions(options, { of: '`result()`', names: RESULT_OPTIONS });
      const { signal, acceptsRounding = false, onRetry } = options;
      const patience = createPatience(onRetry);
      let run = isAccepted ? undefined : await call('GET', '', agentRunDetailView, { signal });
      while (run?.receipt === undefined) run = await waitForEnd(signal, patience);
      return openResult(run.receipt, form ?? anyValue(run), { acceptsRounding, isText: form === undefined });
    },
    cancel: ({ signal } = {}) => call('POST', '/cancel', agentRunView, { signal }),
    async retry({ signal, idempotencyKey = randomKey() } = {}) {
      const next = await call('POST', '/retry', agentRunView, { signal, idempotencyKey });
      return openClientRun(connection, { id: next.id, form, isAccepted: true });
    },
    async continue(options, { signal, idempotencyKey = randomKey() } = {}) {
      const body = toContinueBody(options);
      const next = await call('POST', '/continue', agentRunView, { body, signal, idempotencyKey });
      const nextForm = options.output === undefined ? form : toRunForm(options.output);
      return openClientRun(connection, { id: next.id, form: nextForm, isAccepted: true });
    },
    ...leftCalls(connection, path, call),
    delete: ({ signal } = {}) => call('DELETE', '', nothing, { signal }),
    async patch(body, { signal } = {}) {
      assertPatch(body);
      return call('PATCH', '', agentRunView, { body, signal });
    },
  });
  // The result of each run has been validated by the definition that gives its type.
  return { id, ...calls } as ClientRun<unknown>;
}

/** Calls a route below that of the run. */
type CallRun = <T>(
  method: CallOptions<T>['method'],
  below: string,
  shape: Shape<T>,
  rest: Partial<Pick<CallOptions<T>, 'body' | 'signal' | 'idempotencyKey'>>,
) => Promise<T>;

/** Calls for the artifacts and the deliveries of a run. */
function leftCalls(
  connection: Connection,
  path: string,
  call: CallRun,
): Pick<UntypedCalls, 'artifacts' | 'artifact' | 'deliveries' | 'redeliver'> {
  return {
    artifacts: ({ signal } = {}) => call('GET', '/artifacts', agentRunArtifactsView, { signal }),
    artifact(name, { signal } = {}) {
      const at = `${path}/artifacts/${encodeURIComponent(name)}`;
      return sendAndRead(connection, { method: 'GET', path: at, signal }, (response) => response.blob());
    },
    deliveries: ({ signal } = {}) => call('GET', '/deliveries', webhookDeliveriesView, { signal }),
    redeliver: (deliveryId, { signal } = {}) =>
      call('POST', `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`, webhookDeliveryView, {
        signal,
      }),
  };
}

/**
 * The stream ends with its last event. A connection that ends before is lost, and is opened again.
 *
 * @yields each event with its resume id
 */
async function* followRun(
  connection: Connection,
  runPath: string,
  { onRetry, ...options }: FollowRunOptions,
): AsyncGenerator<ReceivedRunEvent, void, undefined> {
  const patience = createPatience(onRetry);
  const path = (after: string | undefined): string => `${runPath}/stream${toQuery({ after })}`;
  for await (const received of followStream(
    connection,
    { path, read: readRunEvent },
    { ...options, patience },
  )) {
    yield received;
    if (received.event.type === 'receipt') return;
  }
}

/** Validates the value of a receipt. @throws RunEndedError, StructuredOutputError */
export async function openResult(
  receipt: AgentRunReceipt,
  form: RunForm,
  { acceptsRounding, isText }: { readonly acceptsRounding: boolean; readonly isText: boolean },
): Promise<ClientRunResult<unknown>> {
  const { status, error, run_id: runId, commits, branch } = receipt;
  if (status !== 'succeeded') {
    throw new RunEndedError(error?.message ?? 'The run ended without a result. Read its receipt.', {
      // The error has the code of the receipt, with hyphens.
      code: (error?.code ?? 'internal').replaceAll('_', '-') as RunEndedErrorCode,
      runId,
      receipt,
      ...(error?.reason !== undefined && { reason: error.reason }),
    });
  }
  const output =
    isText && receipt.value === undefined
      ? (receipt.text ?? '')
      : await openValue(receipt, { ...form, acceptsRounding });
  return { output, commits, receipt, ...(branch !== undefined && { branch }) };
}
