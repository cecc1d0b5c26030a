/**
 * Reaction to a failed model call: another mechanism, a retry, compaction, or the end of the turn.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { refusalOf } from '@truecast/model/internal/routes/route-support';
import type { Mechanism } from '../contract/receipt.ts';
import type { StepRequest } from '../models/step-request.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import { MAX_ASKED_MS } from '../turn/backoff.ts';
import { classifyFailure, type FailureClass, type ModelFailure } from '../turn/classify-failure.ts';
import { askedMs, failureFacts } from '../turn/failure-facts.ts';
import { isSuspectSize } from '../turn/prompt-size.ts';
import { failOver } from './choose-model.ts';
import { errorText } from './error-text.ts';
import { failAsked } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { StepResult, TurnRun } from './turn-run.ts';
import { retryLater } from './wait-to-retry.ts';

/** A failed call. */
export interface FailedCall {
  readonly error: unknown;
  readonly mechanism: Mechanism | undefined;
  readonly request: Pick<StepRequest, 'messages' | 'tools'>;
}

/** Continues after a failed call. Rejects with errors that do not come from a model service. */
export async function afterFailure(
  run: TurnRun,
  turn: LoadedTurn,
  { error, mechanism, request }: FailedCall,
): Promise<StepResult> {
  if (!isOfService(error)) throw error;
  const failure = failureFacts(error);
  const prompt = [request.messages, request.tools];
  const isSuspect = isSuspectSize(prompt, run.prepared.model.contextTokens);
  const failed = classifyFailure({ ...failure, isSuspectSize: isSuspect });
  const asked = askedMs(error, Date.now(), Date.parse);
  noteFailure(run, failed, asked);
  if (isProviderToolRefused(run, error)) {
    await failAsked(run, turn, toolRefused(run, error));
    return 'ended';
  }
  if (mechanism !== undefined && isRefused(error, mechanism)) {
    run.refusedMechanisms.push(mechanism);
    return 'go-on';
  }
  if (failed.action === 'compact' && !run.isTooLong) {
    run.isTooLong = true;
    return 'go-on';
  }
  if (failOver(run, failed)) return 'go-on';
  const told = toChatError(errorText(run.ports, error), failed, failure);
  if (failed.action === 'retry') return retryLater(run, turn, { error: told, askedMs: asked });
  await failAsked(run, turn, told);
  return 'ended';
}

/** A rejected call shows that the service answers. */
function noteFailure(
  { ports, prepared }: TurnRun,
  { action }: FailureClass,
  asked: number | undefined,
): void {
  const { id } = prepared.model;
  if (action === 'retry') ports.circuits?.fail(id, asked === undefined ? 0 : Math.min(asked, MAX_ASKED_MS));
  else ports.circuits?.succeed(id);
}

function isOfService(error: unknown): error is Error {
  if (ChatStateError.isInstance(error)) return false;
  return ModelError.isInstance(error) || (error instanceof Error && error.name.startsWith('AI_'));
}

/** Providers report a rejected mechanism only in the message. */
function isRefused(error: Error, mechanism: Mechanism): boolean {
  if (mechanism === 'native') return refusalOf(error, 'native') !== undefined;
  const { statusCode } = failureFacts(error);
  const isRefusing = statusCode === 400 || statusCode === 404 || statusCode === 422;
  if (mechanism === 'required' && isRefusing && /tool[_ ]?choice|forces? tool/iu.test(wordsOf(error)))
    return true;
  return refusalOf(error, 'tool') === 'unsupported';
}

/** Checked first: every mechanism includes the tool, and could be mistaken for the rejected one. */
function isProviderToolRefused({ prepared }: TurnRun, error: Error): boolean {
  const { statusCode = 0 } = failureFacts(error);
  const isOffered = Object.keys(prepared.providerTools).length > 0;
  return isOffered && REFUSING.has(statusCode) && PROVIDER_TOOL_WORDS.test(wordsOf(error));
}

const REFUSING: ReadonlySet<number> = new Set([400, 403, 404, 422]);

const PROVIDER_TOOL_WORDS = /(?:web|google)[_ ]?search|hosted tool|tool use with function calling/iu;

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
  connection: "The connection to the model's service was lost. Try again.",
  server: "The model's service failed. Try again later.",
  auth: "The model's service rejected the API key. Set a valid key.",
  context_full:
    'The conversation is too long for the model, even after summarizing. Start a new chat, or choose another model.',
  config: "The model's service rejected the request. Correct the chat's settings.",
  interrupted: 'The turn was interrupted.',
};

function toChatError(said: string, { kind, action }: FailureClass, { statusCode }: ModelFailure): ChatError {
  const reason = kind === 'config' ? ` It said: ${cut(said)}` : '';
  return {
    kind,
    message: `${MESSAGES[kind]}${reason}`,
    isRetryable: action === 'retry',
    ...(statusCode !== undefined && { statusCode }),
  };
}

function wordsOf(error: Error): string {
  return `${error.message} ${String(Reflect.get(error, 'responseBody') ?? '')}`;
}
