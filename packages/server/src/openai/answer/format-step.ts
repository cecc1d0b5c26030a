/** Model request for one step of a request with a format, by mode. Pure. */
import type { ModelMessage } from 'ai';
import { isByText, type Way } from '@truecast/model/internal/ladder/choose-way';
import { FINALIZER_REMINDER } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { FINALIZER_SYSTEM_TEXT, finalizerDefinition } from '../../finalizer/finalizer-definition.ts';
import type { OpenRequest } from '../../format/active-request.ts';
import type { TurnView } from '../../format/turn-view.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { toolChoiceOf, withToldFormat, type TextForm } from '../../models/native-form.ts';
import type { StepRequest } from '../../models/step-request.ts';
import { askedAnew, nextSeed } from '../../turn/asked-anew.ts';
import { providerMessages } from '../../turn/provider-messages.ts';
import type { WireRequest } from '../wire/wire-request.ts';
import { isForced, withToldFunction, type AskedFunctions } from './judge-functions.ts';

/** State of the turn. */
export interface StepPlace {
  readonly request: WireRequest;
  readonly model: ChatModel;
  readonly view: TurnView;
  readonly active: OpenRequest;
  /** Form of an answer that is text. */
  readonly form: TextForm | undefined;
  /** True while each step of the turn was a call whose arguments were refused. */
  readonly isCallDue: boolean;
  /** Refused calls of the caller's functions. */
  readonly refused: AskedFunctions;
}

/** Builds the step. The caller adds the signal. */
export function formatStep(
  choice: Way,
  { request, model, view, active, form, isCallDue, refused }: StepPlace,
): Omit<StepRequest, 'signal'> {
  const isText = isByText(choice.mode);
  const { renewals, ...asked } = askedAnew(view, isText);
  const anew = { ...asked, renewals: renewals + refused.renewals };
  const base = {
    model,
    sampling: {
      ...request.sampling,
      ...nextSeed(request.sampling.seed ?? model.sampling?.seed, anew),
    },
    withoutThinking: choice.stopsThinking,
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  };
  const messages: readonly ModelMessage[] = providerMessages(view, isText);
  const tell = (asked: readonly ModelMessage[]): readonly ModelMessage[] =>
    withToldFormat(asked, active.format, { ...choice, ...anew, isHeldInPart: form?.isHeldInPart });
  if (form !== undefined) return { ...base, messages: tell(messages), tools: [], ...form.request };
  const isWork = request.toolChoice !== 'none' && choice.isAnswerDue !== true;
  const forced = isCallDue ? forcedTools(request) : undefined;
  const told = withToldFunction(messages, refused);
  if (forced !== undefined) return { ...base, messages: told, ...forced };
  return {
    ...base,
    messages: tell(withInstructions(told, choice.hasReminder)),
    tools: [...(isWork ? request.tools : []), finalizerDefinition(active.format)],
    toolChoice: toolChoiceOf(choice),
  };
}

/**
 * A forced function call precedes the answer. A model that makes no such call is then called for
 * the answer.
 */
function forcedTools({
  tools,
  toolChoice,
}: WireRequest): Pick<StepRequest, 'tools' | 'toolChoice'> | undefined {
  return isForced({ toolChoice }) ? { tools, toolChoice } : undefined;
}

/** The end of the system prompt describes how the turn ends. */
function withInstructions(messages: readonly ModelMessage[], hasReminder: boolean): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'system');
  const told = messages.map((message, index) =>
    index === last && message.role === 'system'
      ? { ...message, content: `${message.content}\n\n${FINALIZER_SYSTEM_TEXT}` }
      : message,
  );
  const system: ModelMessage[] = last === -1 ? [{ role: 'system', content: FINALIZER_SYSTEM_TEXT }] : [];
  const reminder: ModelMessage[] = hasReminder ? [{ role: 'user', content: FINALIZER_REMINDER }] : [];
  return [...system, ...told, ...reminder];
}
