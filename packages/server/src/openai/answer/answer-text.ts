/** Answers a request for text with one model call. */
import type { RowPart } from '../../contract/rows.ts';
import type { ModelMessage } from 'ai';
import { turnView } from '../../format/turn-view.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import type { StepRequest } from '../../models/step-request.ts';
import { providerMessages } from '../../turn/provider-messages.ts';
import { callsOf } from '../../contract/turn-rows.ts';
import { askModel, type CallWatch } from './ask-model.ts';
import { interrupted } from './interrupted.ts';
import { stepAnswer } from './step-answer.ts';
import { rowsOf } from '../wire/wire-rows.ts';
import type { WireOutcome } from '../wire/wire-answer.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/** Observers and cancellation of an answer. */
export interface AnswerWatch extends CallWatch {
  readonly signal: AbortSignal;
  /** Called with text as it arrives. Never called for an answer with a format. */
  onText(text: string): void;
  /** Called with reasoning as it arrives, of such an answer. */
  onReasoning?(text: string): void;
}

/** Forwards the caller's request to the model. */
export async function answerText(
  request: WireRequest,
  model: ChatModel,
  watch: AnswerWatch,
): Promise<WireOutcome> {
  const { signal, onText, onReasoning } = watch;
  const messages: ModelMessage[] = providerMessages(turnView(rowsOf(request.messages), { planMode: false }));
  const step: StepRequest = {
    model,
    messages,
    tools: request.tools,
    toolChoice: request.toolChoice,
    sampling: request.sampling,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    signal,
    onLivePart: (part) => {
      if (part.type === 'text-delta') onText(part.text);
      if (part.type === 'reasoning-delta') onReasoning?.(part.text);
    },
  };
  const asked = await askModel(step, watch);
  if (signal.aborted) return interrupted();
  if (asked.type === 'failed') return { type: 'failed', failure: asked.read.failure };
  const { parts, finishReason, usage } = asked.reply;
  const calls = callerCalls(parts, request);
  const textOf = (type: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  const reasoning = textOf('reasoning');
  const told = reasoning === '' ? {} : { reasoning };
  return stepAnswer({ finishReason }, { text: textOf('text'), calls, usage, ...told });
}

/** Returns the calls for the caller, at most one if parallel calls are disabled. */
export function callerCalls(
  parts: readonly RowPart[],
  { allowsParallelCalls }: Pick<WireRequest, 'allowsParallelCalls'>,
): ReturnType<typeof callsOf> {
  const calls = callsOf(parts).filter(({ provider_executed }) => provider_executed !== true);
  return allowsParallelCalls ? calls : calls.slice(0, 1);
}
