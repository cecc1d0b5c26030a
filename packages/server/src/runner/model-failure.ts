/**
 * Reaction to a failed model call: another mode, a retry, compaction, or the end of the turn.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import { isOfForm, noteRefusal } from '../finalizer/learn-way.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { StepRequest } from '../models/step-request.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import { modelsOfService } from '@truecast/model/internal/call/known-models';
import { causeOfFailure, classifyFailure, type ModelFailure } from '../turn/classify-failure.ts';
import type { FailureClass } from '../turn/failure-causes.ts';
import { askedMs, failureFacts } from '../turn/failure-facts.ts';
import { failureMessage } from '../turn/failure-message.ts';
import { isSuspectSize } from '../turn/prompt-size.ts';
import { isSearchRejected } from '../turn/rejected-request.ts';
import { failOver } from './choose-model.ts';
import { errorText } from './error-text.ts';
import { failAsked } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import { pacedCaller, type StepResult, type TurnRun } from './turn-run.ts';
import { retryLater } from './wait-to-retry.ts';

export interface FailedCall {
  readonly error: unknown;
  /** How the answer was asked for. Undefined without a request for one. */
  readonly asked: { readonly way: Way; readonly schema: JsonSchema } | undefined;
  readonly request: Pick<StepRequest, 'messages' | 'tools'>;
}

/** The first summarizes the conversation, the second keeps little but the message. */
const MAX_COMPACTIONS = 2;

/** Model and prompt of a failed call. */
export interface SentPrompt {
  readonly model: Pick<ChatModel, 'contextTokens'>;
  readonly request: FailedCall['request'];
}

function factsOf(error: Error, { model, request }: SentPrompt): ModelFailure {
  const isSuspect = isSuspectSize([request.messages, request.tools], model.contextTokens);
  return { ...failureFacts(error), isSuspectSize: isSuspect };
}

/** Returns true if a service refused a prompt for its length. */
export function isTooLong(error: unknown, sent: SentPrompt): boolean {
  return isOfService(error) && classifyFailure(factsOf(error, sent)).action === 'compact';
}

/** Continues after a failed call. Rejects with errors that do not come from a model service. */
export async function afterFailure(
  run: TurnRun,
  turn: LoadedTurn,
  { error, asked, request }: FailedCall,
): Promise<StepResult> {
  if (!isOfService(error)) throw error;
  const failure = factsOf(error, { model: run.prepared.model, request });
  const failed = classifyFailure(failure);
  const waitMs = askedMs(error, Date.now(), Date.parse);
  const isFormal = asked !== undefined && isOfForm(failed.kind, error, asked.way);
  const isLoading = causeOfFailure(failure) === 'loading';
  if (!isLoading) noteFailure(run, isFormal ? REFUSED : failed, waitMs);
  const hasSearch = Object.keys(run.prepared.providerTools).length > 0;
  if (hasSearch && isSearchRejected(error)) {
    await failAsked(run, turn, toolRefused(run, error));
    return 'ended';
  }
  if (isFormal) {
    const { schema, way } = asked;
    if (noteRefusal(error, way, { model: run.prepared.model, schema }, run.climb)) return 'go-on';
  }
  if (failed.action === 'compact' && !run.isTooLong && run.compactions < MAX_COMPACTIONS) {
    run.isTooLong = true;
    return 'go-on';
  }
  if (failOver(run, failed)) return 'go-on';
  const told = await toChatError(run, turn, { error, failure });
  if (failed.action === 'retry') return retryLater(run, turn, { error: told, askedMs: waitMs, isLoading });
  await failAsked(run, turn, told);
  return 'ended';
}

/** Whatever its status: the service answers. */
const REFUSED: FailureClass = { kind: 'config', action: 'fail' };

/** A rejected call shows that the service answers. */
function noteFailure(run: TurnRun, { action, kind }: FailureClass, asked: number | undefined): void {
  const { pacing } = run.ports;
  const caller = pacedCaller(run);
  if (kind === 'rate_limit') pacing?.limit(caller, asked);
  else if (action === 'retry') pacing?.fail(caller, asked);
  else if (kind !== 'connection') pacing?.succeed(caller);
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

async function toChatError(
  { ports, prepared }: TurnRun,
  { chat }: LoadedTurn,
  { error, failure }: { readonly error: unknown; readonly failure: ModelFailure },
): Promise<ChatError> {
  const { model } = prepared.model;
  const { kind, action } = classifyFailure(failure);
  const isUnknown = causeOfFailure(failure) === 'unknown-model';
  const known = isUnknown ? await modelsOfService(model) : undefined;
  const { statusCode } = failure;
  return {
    kind,
    message: failureMessage({
      failure,
      said: errorText(ports, error),
      asked: { model: model.modelId, known },
      calls: chat.attempt + 1,
    }),
    isRetryable: action === 'retry',
    ...(statusCode !== undefined && { statusCode }),
  };
}
