/** Mechanism selection for one step, by model capabilities and turn progress. Pure. */
import type { Mechanism } from '../contract/receipt.ts';

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
}

/** Progress of the turn. */
export interface MechanismState {
  /** The turn has tools in addition to the finalizer. */
  readonly hasOtherTools: boolean;
  /** The next failure ends the request. */
  readonly isLastTry: boolean;
  /** Mechanisms that the provider rejected in this turn, despite its declared capabilities. */
  readonly refused: readonly Mechanism[];
}

/** The selected mechanism. */
export type MechanismChoice =
  | {
      readonly type: 'asked';
      readonly mechanism: Mechanism;
      /** Disable reasoning for this step. */
      readonly stopsThinking: boolean;
      /** End the prompt with a reminder, because no mechanism forces the call. */
      readonly hasReminder: boolean;
      /** Offer only the finalizer: the steps for other work are used up. */
      readonly isAnswerDue?: true;
    }
  /** The model supports neither tool calls nor constrained decoding. */
  | { readonly type: 'impossible' };

/**
 * Selects a mechanism: a forced call if supported, else constrained decoding if there are no other
 * tools, else a reminder.
 *
 * A model that cannot be forced while it reasons is first called without force. On the last try it
 * is forced, with reasoning disabled. This limitation alone never fails a request.
 */
export function chooseMechanism(model: ModelCapabilities, state: MechanismState): MechanismChoice {
  const isRefused = (mechanism: Mechanism): boolean => state.refused.includes(mechanism);
  const canForce = model.takesTools && model.takesRequiredChoice && !isRefused('required');
  const mayForce = !model.isThinking || model.takesRequiredChoiceThinking;
  if (canForce && mayForce) return ask('required');
  if (canForce && state.isLastTry && model.canStopThinking) return ask('required', { stopsThinking: true });
  const canNative = model.takesNativeSchema && !isRefused('native');
  if (canNative && !state.hasOtherTools) return ask('native');
  if (model.takesTools && !isRefused('auto')) return ask('auto', { hasReminder: true });
  // A model without tool support has no other tools either, whatever the chat offers.
  return canNative && !model.takesTools ? ask('native') : { type: 'impossible' };
}

function ask(
  mechanism: Mechanism,
  {
    stopsThinking = false,
    hasReminder = false,
  }: { readonly stopsThinking?: boolean; readonly hasReminder?: boolean } = {},
): MechanismChoice {
  return { type: 'asked', mechanism, stopsThinking, hasReminder };
}
