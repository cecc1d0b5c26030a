/** Way of one step of a turn to its answer, by what is declared or learned of the model. Pure. */
import type { AnswerMode } from '@truecast/core/internal/output/definition/provenance';
import {
  LADDER,
  MODE_OF,
  UNKNOWN_STANDING,
  type Droppable,
  type LadderStanding,
  type LadderStep,
} from './ladder.ts';

/** Capabilities of a model. Reasoning and forced tool calls are independent. */
export interface ModelCapabilities {
  readonly takesTools: boolean;
  /** Supports forced tool calls. */
  readonly takesRequiredChoice: boolean;
  /** Supports them while it reasons. */
  readonly takesRequiredChoiceThinking: boolean;
  /** Supports constrained decoding in a step without tools. */
  readonly takesNativeSchema: boolean;
  /** Reasons before it answers, with the current settings. */
  readonly isThinking: boolean;
  /** Its reasoning can be disabled for one step. */
  readonly canStopThinking: boolean;
  /** True for a server of unknown make: what it supports is learned from its replies. @default false */
  readonly isLearned?: boolean;
}

/** Progress of the turn. */
export interface WayState {
  /** The turn has tools in addition to the finalizer. */
  readonly hasOtherTools: boolean;
  /** The next failure ends the request. */
  readonly isLastTry: boolean;
  /** The model wrote text in the last step instead of a call. @default false */
  readonly hasSpoken?: boolean;
  /** Steps that the service refused in this turn. */
  readonly refused: readonly Droppable[];
  /** Knowledge about the engine. @default nothing */
  readonly standing?: LadderStanding;
}

/** A forced call, an answer that is the text, or the tools with a reminder. */
export type WayMode = Extract<AnswerMode, 'tool' | 'native' | 'tool_auto' | 'json'>;

export interface Way {
  readonly mode: WayMode;
  readonly step: Droppable;
  /** Disable reasoning for this step. */
  readonly stopsThinking: boolean;
  /** End the prompt with a reminder, because no mode forces the call. */
  readonly hasReminder: boolean;
  /** Offer only the finalizer: the work is done, or its steps are used up. */
  readonly isAnswerDue?: true;
}

/** The way, or that the model supports none. */
export type WayChoice = (Way & { readonly type: 'asked' }) | { readonly type: 'impossible' };

/** Selects the way of the next step. */
export function chooseWay(model: ModelCapabilities, state: WayState): WayChoice {
  return model.isLearned === true ? learnedWay(model, state) : declaredWay(model, state);
}

/**
 * A forced call if supported, else constrained decoding if there are no other tools, else a reminder.
 *
 * A model that cannot be forced while it reasons is first called without force. On the last try it
 * is forced, with reasoning disabled. This limitation alone never fails a request.
 */
function declaredWay(model: ModelCapabilities, state: WayState): WayChoice {
  const isRefused = refusalsOf(state);
  const canForce = model.takesTools && model.takesRequiredChoice && !isRefused('required');
  const mayForce = !model.isThinking || model.takesRequiredChoiceThinking;
  if (canForce && mayForce) return ask('required');
  if (canForce && state.isLastTry && model.canStopThinking) return ask('required', { stopsThinking: true });
  const canNative = model.takesNativeSchema && !isRefused('schema');
  if (canNative && !state.hasOtherTools) return ask('schema');
  if (model.takesTools && !isRefused('auto')) return ask('auto', { hasReminder: true });
  // A model without tool support has no other tools either, whatever the chat offers.
  return canNative && !model.takesTools ? ask('schema') : { type: 'impossible' };
}

/**
 * With other tools the model works with them first. Once it writes text instead of a call, or without
 * other tools, the answer is a step of its own by the best step of the ladder.
 */
function learnedWay(model: ModelCapabilities, state: WayState): WayChoice {
  const isRefused = refusalsOf(state);
  const isWorking = state.hasOtherTools && state.hasSpoken !== true;
  if (isWorking && !isRefused('required')) return ask('required');
  if (isWorking && model.takesTools && !isRefused('auto')) return ask('auto', { hasReminder: true });
  const step = LADDER.find((each) => !isRefused(each)) ?? 'text';
  return { ...ask(step), ...(state.hasOtherTools && { isAnswerDue: true }) };
}

function refusalsOf({ refused, standing = UNKNOWN_STANDING }: WayState): (step: Droppable) => boolean {
  return (step) => refused.includes(step) || standing.dropped.has(step);
}

function ask(
  step: LadderStep | 'auto',
  { stopsThinking = false, hasReminder = false }: Partial<Pick<Way, 'stopsThinking' | 'hasReminder'>> = {},
): WayChoice & Way {
  return { type: 'asked', mode: MODE_OF[step], step, stopsThinking, hasReminder };
}

/** Returns true if the answer is the text of the reply, and not the argument of a call. */
export function isByText(mode: string): boolean {
  return mode === 'native' || mode === 'json';
}
