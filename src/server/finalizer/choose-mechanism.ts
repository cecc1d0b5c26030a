/** Owns how an answer is asked for in one step, by what the model can do and how the turn has gone. Pure. */
import type { Mechanism } from '../contract/receipt.ts';

/** What a model takes. That it thinks says nothing of whether it can be made to call a tool: two facts. */
export interface ModelCapabilities {
  readonly takesTools: boolean;
  /** It can be made to call some tool. */
  readonly takesRequiredChoice: boolean;
  /** It can be made to while it thinks. */
  readonly takesRequiredChoiceThinking: boolean;
  /** It decodes under a schema, in a step without tools. */
  readonly takesNativeSchema: boolean;
  /** It thinks before it answers, as it is asked now. */
  readonly isThinking: boolean;
  /** Its thinking can be switched off for one step. */
  readonly canStopThinking: boolean;
}

/** How the turn stands. */
export interface MechanismState {
  /** The turn has tools beside the finalizer. */
  readonly hasOtherTools: boolean;
  /** Another failure would end the request. */
  readonly isLastTry: boolean;
  /** What the provider refused in this turn, though the model is said to take it. */
  readonly refused: readonly Mechanism[];
}

/** How to ask. */
export type MechanismChoice =
  | {
      readonly type: 'asked';
      readonly mechanism: Mechanism;
      /** Switch the model's thinking off for this step. */
      readonly stopsThinking: boolean;
      /** End the prompt with a reminder: nothing else makes the model call the tool. */
      readonly hasReminder: boolean;
    }
  /** The model can neither call a tool nor decode under a schema. */
  | { readonly type: 'impossible' };

/**
 * Chooses how to ask: a call that must be made where the model takes that, else its own schema mode where no other tool is there, else a reminder.
 *
 * A model that cannot be made to while it thinks is asked without force, and made to on the last try, with its thinking off. It is never
 * refused an answer for that.
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
  // A model without tools has no other tool either, whatever the chat offers.
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
