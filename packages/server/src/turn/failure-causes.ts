/**
 * Causes of failed model calls: the class of each, the reaction, and the message for clients. Pure.
 *
 * No message has an address. Only the operator knows it, and the log has it.
 */
import type { RefusalCause } from '@truecast/model/internal/failure/refusal';
import type { ConnectionCause } from '@truecast/model/internal/failure/unreachable';

/**
 * Why a call failed, if the service did not refuse it. `stream`: the reply ended early. `told`:
 * an error event ended it. `unusable`: it is too large, or a redirect to another origin.
 * `unreadable`: it has another format.
 */
export type TransportCause =
  | ConnectionCause
  | 'connection'
  | 'silence'
  | 'stream'
  | 'told'
  | 'timeout'
  | 'aborted'
  | 'unusable'
  | 'unreadable'
  | 'still-loading';

/** Why a call failed. */
export type FailureCause = RefusalCause | TransportCause;

/** Failure class, for the client. */
export type FailureKind =
  | 'rate_limit'
  | 'usage_limit'
  | 'overloaded'
  | 'timeout'
  | 'connection'
  | 'server'
  | 'auth'
  | 'context_full'
  | 'config'
  | 'interrupted';

export interface FailureClass {
  readonly kind: FailureKind;
  /** `compact`: summarize the conversation and continue. */
  readonly action: 'retry' | 'compact' | 'fail';
}

const caused = (kind: FailureKind, action: FailureClass['action'], message: string): CauseFacts => ({
  kind,
  action,
  message,
});

export interface CauseFacts extends FailureClass {
  readonly message: string;
}

const CHECK_IT = 'Check that it runs, or choose another model.';

export const FAILURE_CAUSES: Readonly<Record<FailureCause, CauseFacts>> = {
  'no-server': caused(
    'connection',
    'retry',
    `No server answers at the address of the model's service. ${CHECK_IT}`,
  ),
  'no-host': caused(
    'connection',
    'fail',
    "The host of the model's service cannot be found. Correct its address, or choose another model.",
  ),
  'no-answer': caused('connection', 'retry', `The host of the model's service does not answer. ${CHECK_IT}`),
  tls: caused(
    'connection',
    'fail',
    "No secure connection to the model's service is possible. Check its certificate and its address, or choose another model.",
  ),
  address: caused(
    'connection',
    'fail',
    "No request can be sent to the address of the model's service. Correct it, or choose another model.",
  ),
  'not-http': caused(
    'connection',
    'fail',
    "What listens at the address of the model's service does not speak HTTP. Correct the port, or choose another model.",
  ),
  closed: caused(
    'connection',
    'retry',
    "The model's service closed the connection before it answered. Try again; if it happens again, read its log.",
  ),
  ended: caused(
    'connection',
    'retry',
    "The model's service ended during a request: it closed the connection, and now nothing listens there. Start it again, and read its log.",
  ),
  'no-proxy': caused(
    'connection',
    'retry',
    'The proxy of the server does not answer. Check it, and its address.',
  ),
  proxy: caused(
    'connection',
    'fail',
    "The proxy of the server refused to connect to the model's service. Check its rules and its login.",
  ),
  connection: caused(
    'connection',
    'retry',
    "The model's service cannot be reached, or it dropped the connection. Check that it runs, and its address.",
  ),
  stream: caused(
    'connection',
    'retry',
    "The model's service dropped the connection during its answer, or cannot be reached any more. Try again; if it happens again, check the connection and any proxy.",
  ),
  told: caused('server', 'retry', "The model's service ended its answer with an error. Try again later."),
  silence: caused('timeout', 'retry', "The model's service did not answer in time. Try again."),
  timeout: caused('timeout', 'retry', "The model's service did not answer in time. Try again."),
  slow: caused('timeout', 'retry', "The model's service did not answer in time. Try again."),
  aborted: caused(
    'interrupted',
    'fail',
    'The server stopped before the answer was complete. Send the request again once it runs.',
  ),
  unusable: caused(
    'server',
    'fail',
    "The model's service sent a reply that is too large, or a redirect to another address. Check the service, or choose another model.",
  ),
  unreadable: caused(
    'server',
    'fail',
    "The model's service sent a reply of another format. Check the service and its version, or choose another model.",
  ),
  loading: caused(
    'overloaded',
    'retry',
    "The model's service is loading its model. The call is repeated until it is ready.",
  ),
  'still-loading': caused(
    'overloaded',
    'fail',
    "The model's service is still loading its model. Send the request again when it is ready.",
  ),
  overloaded: caused(
    'overloaded',
    'retry',
    "The model's service is overloaded. Try again later, or choose another model.",
  ),
  'rate-limit': caused(
    'rate_limit',
    'retry',
    "The model's service limits the request rate. Try again later.",
  ),
  quota: caused(
    'usage_limit',
    'fail',
    "The account at the model's service has no quota left. Raise its limit, or choose another model.",
  ),
  service: caused('server', 'retry', "The model's service failed. Try again later, or choose another model."),
  key: caused(
    'auth',
    'fail',
    "The model's service rejected this server's API key. Set another key, or choose another model.",
  ),
  access: caused(
    'auth',
    'fail',
    "The model's service refused access. Check this server's API key, its rights and its account, or choose another model.",
  ),
  'unknown-model': caused(
    'config',
    'fail',
    "The model's service does not have the model. Correct its name, or load it there.",
  ),
  path: caused(
    'config',
    'fail',
    "The address of the model's service has no Chat Completions API. Correct it: it usually ends with `/v1`.",
  ),
  refused: caused('config', 'fail', "The model's service rejected the request. Correct the chat's settings."),
  'context-full': caused(
    'context_full',
    'compact',
    'The conversation is too long for the model. Send less of it, or choose another model.',
  ),
  'request-size': caused(
    'context_full',
    'compact',
    "The request is too large for the model's service. Send less, or choose another model.",
  ),
};
