/**
 * Reaction to a failed model call: another mechanism, a retry, compaction, or the end of the turn.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/json-schema-types';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import { isOfForm, noteRefusal } from '../finalizer/learn-way.ts';
import type { StepRequest } from '../models/step-request.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import { MAX_ASKED_MS } from '../turn/backoff.ts';
import {
  classifyFailure,
  TOLD_CAUSES,
  type FailureClass,
  type ModelFailure,
} from '../turn/classify-failure.ts';
import { askedMs, failureFacts } from '../turn/failure-facts.ts';
import { isSuspectSize } from '../turn/prompt-size.ts';
import { isSearchRejected } from '../turn/rejected-request.ts';
import { failOver } from './choose-model.ts';
import { errorText } from './error-text.ts';
import { failAsked } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { StepResult, TurnRun } from './turn-run.ts';
import { retryLater } from './wait-to-retry.ts';

/** A failed call. */
export interface FailedCall {
  readonly error: unknown;
  /** How the answer was asked for. Undefined without a request for one. */
  readonly asked: { readonly way: Way; readonly schema: JsonSchema } | undefined;
  readonly request: Pick<StepRequest, 'messages' | 'tools'>;
}

/** Continues after a failed call. Rejects with errors that do not come from a model service. */
export async function afterFailure(
  run: TurnRun,
  turn: LoadedTurn,
  { error, asked, request }: FailedCall,
): Promise<StepResult> {
  if (!isOfService(error)) throw error;
  const failure = failureFacts(error);
  const prompt = [request.messages, request.tools];
  const isSuspect = isSuspectSize(prompt, run.prepared.model.contextTokens);
  const failed = classifyFailure({ ...failure, isSuspectSize: isSuspect });
  const waitMs = askedMs(error, Date.now(), Date.parse);
  const isFormal = asked !== undefined && isOfForm(failed.kind, error, asked.way);
  noteFailure(run, isFormal ? REFUSED : failed, waitMs);
  const hasSearch = Object.keys(run.prepared.providerTools).length > 0;
  if (hasSearch && isSearchRejected(error)) {
    await failAsked(run, turn, toolRefused(run, error));
    return 'ended';
  }
  if (isFormal) {
    const { schema, way } = asked;
    if (noteRefusal(error, way, { model: run.prepared.model, schema }, run.refusals)) return 'go-on';
  }
  if (failed.action === 'compact' && !run.isTooLong) {
    run.isTooLong = true;
    return 'go-on';
  }
  if (failOver(run, failed)) return 'go-on';
  const told = toChatError(errorText(run.ports, error), failed, failure);
  if (failed.action === 'retry') return retryLater(run, turn, { error: told, askedMs: waitMs });
  await failAsked(run, turn, told);
  return 'ended';
}

/** Whatever its status: the service answers. */
const REFUSED: FailureClass = { kind: 'config', action: 'fail' };

/** A rejected call shows that the service answers. */
function noteFailure(
  { ports, prepared }: TurnRun,
  { action, kind }: FailureClass,
  asked: number | undefined,
): void {
  const { id } = prepared.model;
  if (action === 'retry') ports.circuits?.fail(id, asked === undefined ? 0 : Math.min(asked, MAX_ASKED_MS));
  else if (kind !== 'connection') ports.circuits?.succeed(id);
}

function isOfService(error: unknown): error is Error {
  if (ChatStateError.isInstance(error)) return false;
  return ModelError.isInstance(error) || (error instanceof Error && error.name.startsWith('AI_'));
}

function toolRefused({ ports }: TurnRun, error: Error): ChatError {
  const { statusCode } = failureFacts(error);
  return {
    kind: 'config',
    message: `The model's service refused the web search. Enable it there, choose another model, or remove \`web_search\` from the server's \`providerTools\`. It said: ${cut(errorText(ports, error))}`,
    isRetryable: false,
    ...(statusCode !== undefined && { statusCode }),
  };
}

const MESSAGES: Readonly<Record<FailureClass['kind'], string>> = {
  rate_limit: "The model's service limits the request rate. Try again later.",
  usage_limit:
    "The account at the model's service has no quota left. Raise its limit, or choose another model.",
  overloaded: "The model's service is overloaded. Try again later, or choose another model.",
  timeout: "The model's service did not answer in time. Try again.",
  connection:
    "The model's service cannot be reached, or it dropped the connection. Check that it runs, and its address.",
  server: "The model's service failed. Try again later.",
  auth: "The model's service rejected the API key. Set a valid key.",
  context_full:
    'The conversation is too long for the model, even after summarizing. Start a new chat, or choose another model.',
  config: "The model's service rejected the request. Correct the chat's settings.",
  interrupted: 'The turn was interrupted.',
};

function toChatError(
  said: string,
  { kind, action }: FailureClass,
  { statusCode, cause }: ModelFailure,
): ChatError {
  const reason = kind === 'config' ? ` It said: ${cut(said)}` : '';
  return {
    kind,
    message: (cause === undefined ? undefined : TOLD_CAUSES[cause]) ?? `${MESSAGES[kind]}${reason}`,
    isRetryable: action === 'retry',
    ...(statusCode !== undefined && { statusCode }),
  };
}
