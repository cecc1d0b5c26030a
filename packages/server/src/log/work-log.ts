/**
 * Log lines of observed work: owner, model, tokens, cost and duration.
 *
 * No line contains a prompt, a value or an argument. A service can quote a prompt in its message,
 * so that message is logged only at the level `debug`.
 */
import type {
  ObservedAnswer,
  ObservedReceipt,
  ObservedRequest,
  ObservedRun,
  ObservedStderr,
  ObservedToolCall,
  ObservedTurn,
  RemovedRemains,
  WorkOrigin,
} from '../contract/observed-work.ts';
import { toReceiptUsage } from '../contract/receipt.ts';
import { parseTraceparent } from '@truecast/model/internal/telemetry/traceparent';
import type { ObservedCall } from '../models/observed-step.ts';
import type { PacingChange } from '../pacing/model-pacing.ts';
import { causeOfFailure, classifyFailure } from '../turn/classify-failure.ts';
import { connectionFailure } from '@truecast/model/internal/failure/unreachable';
import { failureFacts } from '../turn/failure-facts.ts';
import type { LogFacts, ServerLog } from './server-log.ts';

/** Pattern of a service's error code. Anything else is text. */
const CODE = /^[\w.-]{1,64}$/u;
/** Pattern of a service's name of a model. */
const MODEL = /^[\w.:/@+-]{1,128}$/u;

export function logModelCall(log: ServerLog, call: ObservedCall): void {
  const { model, responseModel, origin, outcome, usage, durationMs, error } = call;
  const waited = { waited_ms: rounded(call.waitedMs), waited_for: call.waitedFor };
  const facts = { event: 'model_call', ...originFacts(origin), model, outcome, ...waited };
  const duration_ms = Math.round(durationMs);
  if (outcome !== 'failed') {
    log.info('Model call ended.', {
      ...facts,
      response_model: responseModel !== undefined && MODEL.test(responseModel) ? responseModel : undefined,
      ...(usage !== undefined && toReceiptUsage(usage)),
      duration_ms,
    });
    return;
  }
  log.warn('Model call failed.', { ...facts, ...failureOf(error), duration_ms });
  if (error instanceof Error) log.debug(error.message, { ...facts, event: 'service_message' });
}

const PACING_TEXTS: Readonly<Record<PacingChange['change'], string>> = {
  limited: "The model's service limits the request rate. Calls wait until the limit ends.",
  circuit_opened: "Requests to the model's service failed. It gets one call at a time.",
  circuit_closed: "The model's service answers again. The chats that waited continue.",
};

/** Logs a model that accepts no calls, or accepts them again. */
export function logPacing(log: ServerLog, { model, change, waitMs }: PacingChange): void {
  const level = change === 'circuit_closed' ? 'info' : 'warn';
  log[level](PACING_TEXTS[change], { event: 'model_pacing', model, change, wait_ms: rounded(waitMs) });
}

export function logToolCall(log: ServerLog, call: ObservedToolCall): void {
  const { origin, tool, runBy, outcome, durationMs } = call;
  const facts = { event: 'tool_call', ...originFacts(origin), tool, run_by: runBy, outcome };
  log.info('Tool call ended.', { ...facts, duration_ms: rounded(durationMs) });
}

export function logTurn(log: ServerLog, { origin, status, model, errorKind }: ObservedTurn): void {
  const facts = { event: 'turn', ...originFacts(origin), model, status, error_kind: errorKind };
  if (status === 'error') log.warn('Turn failed.', facts);
  else log.info('Turn ended.', facts);
}

export function logReceipt(log: ServerLog, receipt: ObservedReceipt): void {
  const { origin, requestId, status, reason, attempts, mode, model, usage, durationMs } = receipt;
  log.info('Receipt written.', {
    event: 'receipt',
    ...originFacts(origin),
    request_id: requestId,
    status,
    reason,
    attempts,
    mode,
    model,
    ...usage,
    duration_ms: rounded(durationMs),
  });
}

export function logRun(log: ServerLog, run: ObservedRun): void {
  const { origin, runId, status, code, reason, repository, agent, executions, usage, durationMs } = run;
  log[status === 'failed' ? 'warn' : 'info']('Run ended.', {
    event: 'run',
    ...originFacts(origin),
    run_id: runId,
    status,
    code,
    reason,
    repository,
    agent,
    executions,
    ...usage,
    duration_ms: rounded(durationMs),
  });
}

export function logCleanUp(log: ServerLog, { worktrees, references, logs }: RemovedRemains): void {
  const facts = { event: 'runs_cleaned_up', worktrees, references, logs };
  log.info('Removed what ended runs left on this machine.', facts);
}

export function logAnswer(log: ServerLog, answer: ObservedAnswer): void {
  const { origin, route, model, outcome, status, isStreamed, usage, durationMs } = answer;
  log.info('Answered.', {
    event: 'v1_answer',
    ...originFacts(origin),
    route,
    model,
    outcome,
    status,
    streamed: isStreamed,
    ...(usage !== undefined && toReceiptUsage(usage)),
    duration_ms: rounded(durationMs),
  });
}

export function logRequest(log: ServerLog, request: ObservedRequest): void {
  const { requestId, method, route, status, durationMs, traceparent } = request;
  const facts = { event: 'http_request', http_request_id: requestId, method, route, status };
  const line = { ...facts, ...originFacts({ traceparent }), duration_ms: rounded(durationMs) };
  if (status >= 500) log.warn('Request failed.', line);
  else log.debug('Request answered.', line);
}

/** Logs a line of an MCP server. Its content is arbitrary. */
export function logMcpStderr(log: ServerLog, { server, level, text }: ObservedStderr): void {
  log[level]('An MCP server wrote to stderr.', { event: 'mcp_stderr', server, text });
}

function originFacts({ ownerId, chatId, traceparent }: WorkOrigin): LogFacts {
  return { owner: ownerId, chat_id: chatId, trace_id: parseTraceparent(traceparent)?.traceId };
}

function failureOf(error: unknown): LogFacts {
  const failure = failureFacts(error);
  const { statusCode, errorCode } = failure;
  return {
    error_kind: classifyFailure(failure).kind,
    error_cause: causeOfFailure(failure),
    // Only an address and a code of the system.
    error_message:
      connectionFailure(error) !== undefined && error instanceof Error ? error.message : undefined,
    error_name: error instanceof Error ? error.name : undefined,
    status: statusCode,
    service_code: errorCode !== undefined && CODE.test(errorCode) ? errorCode : undefined,
  };
}

function rounded(durationMs: number | undefined): number | undefined {
  return durationMs === undefined ? undefined : Math.round(durationMs);
}
